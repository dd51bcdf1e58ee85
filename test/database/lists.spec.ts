import { Database } from '#libs/database/database.js';
import { jsonArray } from '#libs/database/json-array.js';
import { statement } from '#libs/database/statement.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

it('lists reach PostgreSQL unchanged, whatever they contain', async () => {
  const texts = ['plain-1:2.3', 'null', 'NULL', '', ' ', 'a b', 'a"b', 'a\\b', '\\', '{x}', 'ü', 'a,b', 'a\nb', null];
  const numbers = [1, -2, null];
  const objects = [{ a: 'x"y\\z, {}' }, {}, null];
  const [answer] = await platform.app.get(Database).system([
    statement(
      `select $1::text[] as texts, $2::integer[] as numbers, $3::jsonb[] as objects, $4::boolean[] as flags,
         $5::text[] as none, array(select encode(x, 'hex') from unnest($6::bytea[]) x) as bytes,
         to_json($7::timestamptz[])::text as instants`,
      [texts, numbers, objects, [true, false], [], [Buffer.from('ab')], [new Date(0)]],
    ),
  ]);
  expect(answer!.rows[0]).toEqual({
    texts,
    numbers,
    objects,
    flags: [true, false],
    none: [],
    bytes: ['6162'],
    instants: '["1970-01-01T00:00:00+00:00"]',
  });
});

it('JSON texts in binary form reach PostgreSQL unchanged', async () => {
  const texts = ['{"a": "x\\"y\\\\z, {}"}', '"ü €\\u000a😀"', 'null', '[]', ' {"b":  1}'];
  const [answer] = await platform.app
    .get(Database)
    .system([
      statement(
        'select array(select x::text from unnest($1::json[]) x) as texts, cardinality($2::json[])::integer as none',
        [jsonArray(texts), jsonArray([])],
      ),
    ]);
  expect(answer!.rows[0]).toEqual({ texts, none: 0 });
});
