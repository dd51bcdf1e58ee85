import pg from 'pg';
import { fold } from '#libs/kernel/fold.js';
import { migrate } from '#src/database/migrate.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';

/** JavaScript and PostgreSQL compare any text by the same rule. */
let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function folded(texts: string[]): Promise<string[]> {
  const { rows } = await client.query<{ all: string[] }>(
    `select array(select data.fold(x) from unnest($1::text[]) with ordinality t(x, n) order by n) as all`,
    [texts],
  );
  return rows[0]!.all;
}

/** Scripts with composed letters that Unicode 16 added. PostgreSQL knows them since version 18. */
const YOUNGEST = new RegExp('[\\p{sc=Todhri}\\p{sc=Tulu_Tigalari}\\p{sc=Gurung_Khema}\\p{sc=Kirat_Rai}]', 'u');

async function isKnown(): Promise<(text: string) => boolean> {
  const { rows } = await client.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  return rows[0]!.version < 180_000 ? (text) => !YOUNGEST.test(text) : () => true;
}

it('is the same for every letter, composed or not, alone or in a word', async () => {
  const letters: string[] = [];
  const known = await isKnown();
  for (let code = 1; code <= 0x10ffff; code++)
    if (code < 0xd800 || code > 0xdfff) letters.push(...[String.fromCodePoint(code)].filter(known));
  const composed = letters.filter((letter) => letter.normalize('NFD') !== letter);
  const cased = letters.filter((letter) => letter.toLowerCase() !== letter);
  expect(composed.length).toBeGreaterThan(10_000);
  const texts = [
    ...letters,
    ...composed.map((letter) => letter.normalize('NFD')),
    ...cased.flatMap((letter) => [`a${letter}`, `${letter}Σ`, `Σ${letter} ${letter}Σ.`, `${letter}\u0307\u0323`]),
  ];
  const found = await folded(texts);
  const different = texts.filter((text, index) => found[index] !== fold(text));
  expect(different.map((text) => [...text].map((letter) => letter.codePointAt(0)!.toString(16)))).toEqual([]);
});

it.each([
  ['İzmir', 'izmir'],
  ['I\u0307zmir', 'izmir'],
  ['Cafe\u0301', 'CAFÉ'],
  ['ΟΔΟΣ', 'οδος'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['ÄPFEL', 'a\u0308pfel'],
  ['ᲡᲐᲥᲐᲠᲗᲕᲔᲚᲝ', 'საქართველო'],
  ['Acme', 'ACME'],
])('treats %s and %s as equal', async (one, other) => {
  expect(fold(one)).toBe(fold(other));
  expect(await folded([one, other])).toEqual([fold(one), fold(one)]);
});

it('distinguishes texts that only look alike', async () => {
  const texts = ['a', 'á', 'ä', 'ae', 'ss', 'ß', 'ı', 'i', 'o', 'ο'];
  expect(new Set(await folded(texts)).size).toBe(texts.length);
});

it('is checked before anything is migrated, which fails without ICU', async () => {
  await client.query(`alter collation pg_catalog."und-x-icu" rename to "und-x-none"`);
  await expect(migrate(database.adminUrl, database.settings)).rejects.toThrow(
    'PostgreSQL must be built with ICU, which sorts and compares names.',
  );
});
