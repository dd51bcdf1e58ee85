import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { everyPage } from '../../harness/pages.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

interface Entry extends Record<string, unknown> {
  type: string;
  version: number;
  schema: Record<string, unknown> & { properties: { data: object } };
  example: Record<string, unknown> & { data: object };
}

const SCHEMAS = '/api/v1/developer/event-schema';
const TYPE = 'test.thing.made';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
  const thing = { type: TYPE, description: 'A thing was made.', subjectType: 'test.thing', exampleUrl: '/' };
  const data = (field: string) => ({ type: 'object', properties: { [field]: { type: 'string' } }, required: [field] });
  const events = platform.app.get(EventCatalogue);
  events.add({
    ...thing,
    version: 1,
    data: data('status'),
    example: { status: 'new' },
    deprecatedAt: '2026-11-01T00:00:00.000Z',
    sunsetAt: '2027-11-01T00:00:00.000Z',
  });
  events.add({
    ...thing,
    version: 2,
    data: data('state'),
    example: { state: 'new' },
    downgrade: ({ state }) => ({ status: state }),
  });
});
afterAll(() => platform.close());

async function entries(query = ''): Promise<Entry[]> {
  const tenant = await platform.tenant();
  return everyPage<Entry>(tenant.api, `${SCHEMAS}${query}`);
}

it('each version of a type has its status, its dates and its schema', async () => {
  const found = await entries(`?type=${TYPE}`);
  expect(found).toMatchObject([
    {
      group: 'test',
      version: 1,
      deprecated: true,
      status: 'deprecated',
      deprecatedAt: '2026-11-01T00:00:00.000Z',
      sunsetAt: '2027-11-01T00:00:00.000Z',
      schema: { title: `${TYPE} v1`, deprecated: true },
      example: { schemaVersion: 1, data: { status: 'new' } },
    },
    {
      version: 2,
      deprecated: false,
      status: 'current',
      deprecatedAt: null,
      sunsetAt: null,
      schema: { title: `${TYPE} v2` },
      example: { schemaVersion: 2, data: { state: 'new' } },
    },
  ]);
  expect(found[1]!.schema).not.toHaveProperty('deprecated');
  expect(await entries(`?type=${TYPE}&version=2`)).toEqual([found[1]]);
});

it('the data of every example matches its schema, and so does thin data', async () => {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const found = await entries();
  expect(found.length).toBeGreaterThan(100);
  // Types of one resource share their schema, and compiling is slow.
  const compiled = new Map<string, ValidateFunction>();
  for (const { type, version, schema, example } of found) {
    const { data } = schema.properties;
    const key = JSON.stringify(data);
    const holds = compiled.get(key) ?? ajv.compile(data);
    compiled.set(key, holds);
    const values = [example.data, { thin: true }, { thin: true, truncated: true }, {}];
    expect([type, version, values.map((value) => holds(value))]).toEqual([type, version, [true, true, true, false]]);
  }
});

it('known schemas are not sent again', async () => {
  const { api } = await platform.tenant();
  const first = await api.get(`${SCHEMAS}?type=${TYPE}`);
  const tag = first.headers.get('etag')!;
  expect(tag).toMatch(/^"\d+"$/);
  const again = await api.get(`${SCHEMAS}?type=${TYPE}`, { 'if-none-match': tag });
  expect(again).toMatchObject({ status: 304, text: '' });
  const other = await api.get(`${SCHEMAS}?type=${TYPE}&version=2`, { 'if-none-match': tag });
  expect(other.status).toBe(200);
  expect(other.headers.get('etag')).not.toBe(tag);
});

it('a short list has everything but the schemas and examples', async () => {
  const [brief, whole] = [await entries('?brief=true'), await entries()];
  expect(brief).toEqual(whole.map(({ schema: _schema, example: _example, ...summary }) => summary));
  const size = (list: Entry[]) => JSON.stringify(list).length;
  expect(size(brief)).toBeLessThan(size(whole) / 20);
});
