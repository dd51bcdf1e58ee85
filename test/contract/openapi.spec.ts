import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { permissionNames } from '#libs/auth/permissions.js';
import type { Answer } from '#libs/http/openapi/parts.js';
import { type DocumentedOperation, documentedOperations, targetOf } from '#libs/http/openapi/references.js';
import { RouteTable } from '#libs/http/route-table.js';
import { PROBLEMS } from '#libs/kernel/problem.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { eventExample } from '#libs/outbox/event-schema.js';
import { ALIASES } from '#src/api/api.module.js';
import { operationsOf } from '../matrix/operations.js';
import { Contract } from '../harness/contract.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let document: Json;
let operations: DocumentedOperation[];
beforeAll(async () => {
  platform = await startPlatform();
  document = JSON.parse(JSON.stringify(platform.document)) as Json;
  operations = documentedOperations(document as { paths: object });
});
afterAll(() => platform.close());

/** Every object of a tree with its path. */
function* objectsOf(value: unknown, place = '#'): Generator<[place: string, object: Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [place, value as Json];
  for (const [key, member] of Object.entries(value)) yield* objectsOf(member, `${place}/${key}`);
}

const resolve = (reference: string) => targetOf(document, reference);

/** Resolves a reference or an `allOf` with a single schema. */
function whole(schema: unknown): Json | undefined {
  const { $ref, allOf } = (schema ?? {}) as { $ref?: string; allOf?: unknown[] };
  if ($ref !== undefined) return whole(resolve($ref));
  return allOf?.length === 1 ? whole(allOf[0]) : (schema as Json | undefined);
}

const schemaOf = (answer: unknown) =>
  whole((whole(answer) as { content?: Record<string, Json> } | undefined)?.content?.['application/json']?.['schema']);

/** The schema of a member of an object, or of the items of a list. */
function schemaIn(schema: Json, member: string, of?: 'items'): Json | undefined {
  const found = whole((schema['properties'] as Json | undefined)?.[member]);
  return of && found ? whole(found[of]) : found;
}

it('every reference can be resolved', () => {
  const references = [...objectsOf(document)]
    .map(([, object]) => object['$ref'])
    .filter((each) => typeof each === 'string');
  expect(references.length).toBeGreaterThan(100);
  expect(references.filter((reference) => resolve(reference) === undefined)).toEqual([]);
});

it('no component has a number that another operation could change', () => {
  const components = document['components'] as Record<string, Json>;
  const fields = new Set(
    [...objectsOf(document)].flatMap(([, { properties }]) => Object.keys((properties as Json | undefined) ?? {})),
  );
  const names = Object.values(components).flatMap(Object.keys);
  expect(names.length).toBeGreaterThan(1_000);
  const numbered = names.filter((name) => /[a-z.]\d+$/i.test(name));
  expect(numbered.filter((name) => !fields.has(name[0]!.toLowerCase() + name.slice(1)))).toEqual([]);
});

it('every share is a percentage by its name, or from 0 to 1 by its name and text', () => {
  const numbers = [...objectsOf(document)].flatMap(([place, { properties }]) =>
    Object.entries((properties ?? {}) as Record<string, Json>).flatMap(([name, field]) => {
      const isNumber = [field['type']].flat().some((type) => type === 'number' || type === 'integer');
      return isNumber ? [{ place: `${place}.${name}`, name, field, about: String(field['description']) }] : [];
    }),
  );
  const isShare = ({ name, about }: { name: string; about: string }) =>
    /(Rate|Ratio|Share)(\d|Last|$)/.test(name) || (/\bshare of\b|× 100/i.test(about) && !/percent/i.test(name));
  const shares = numbers.filter(isShare).filter(({ about }) => !/\bin percent\b/.test(about));
  expect(shares.length).toBeGreaterThan(5);
  const wrong = shares.filter(
    ({ name, field, about }) => !(/Rate|Ratio/.test(name) && field['maximum'] === 1 && /from 0 to 1/.test(about)),
  );
  expect(wrong.map(({ place }) => place)).toEqual([]);
});

it('every summary and description has the right articles', () => {
  const soundsLikeConsonant = /^(us[eu]|uni|eu|one\b)/i;
  const soundsLikeVowel = /^(hour|MCP|ndjson)/;
  const isWrong = ([, article, word]: RegExpMatchArray): boolean => {
    const vowel = soundsLikeVowel.test(word!) || (/^[aeiou]/i.test(word!) && !soundsLikeConsonant.test(word!));
    return (article!.toLowerCase() === 'an') !== vowel;
  };
  const texts = [...objectsOf(document)].flatMap(([, { summary, description }]) =>
    [summary, description].filter((each) => typeof each === 'string'),
  );
  expect(texts.length).toBeGreaterThan(1_000);
  const wrong = texts.flatMap((each) => [...each.matchAll(/\b(an?) `?\*?([a-z][\w-]*)/gi)].filter(isWrong));
  expect(wrong.map(([found]) => found)).toEqual([]);
});

it('every example of a body matches its schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false });
  formats.default(ajv);
  ajv.addSchema({ ...document, $id: 'openapi' });
  const compiled = new Map<string, ValidateFunction>(); // an alias has the schemas of its original
  let checked = 0;
  for (const [place, media] of objectsOf(document)) {
    if (!('schema' in media) || !/\/content\/[^/]+\/[^/]+$/.test(place)) continue;
    const text = JSON.stringify(media['schema']).replaceAll('"#/components', '"openapi#/components');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
    compiled.set(text, validate);
    const named = Object.values((media['examples'] ?? {}) as Json).map(
      (each) => (resolve((each as { $ref: string }).$ref) as { value: unknown }).value,
    );
    for (const example of 'example' in media ? [media['example'], ...named] : named) {
      checked++;
      expect([place, validate(example), ajv.errorsText(validate.errors)]).toEqual([place, true, 'No errors']);
    }
  }
  expect(checked).toBeGreaterThan(100);
  const schemas = (document['components'] as Record<string, Record<string, Json>>)['schemas']!;
  const shown = Object.entries(schemas).filter(([, { type, examples }]) => type === 'object' && examples !== undefined);
  expect(shown.length).toBeGreaterThan(50);
  for (const [name, { examples }] of shown) {
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
    for (const example of examples as unknown[])
      expect([name, validate(example), ajv.errorsText(validate.errors)]).toEqual([name, true, 'No errors']);
  }
});

it('the subject of every event example has a readable URL', () => {
  const contract = Contract.of(platform.document);
  const events = platform.app.get(EventCatalogue).all();
  const examples = events.map((event) => eventExample(event) as { type: string; subject: { url: string } });
  expect(Object.keys(document['webhooks'] as Json).length).toBe(1 + examples.length);
  expect(examples.length).toBeGreaterThan(100);
  const lost = examples.filter(({ subject }) => contract.operationOf('GET', subject.url) === null);
  expect(lost.map(({ type, subject }) => `${type}: ${subject.url}`)).toEqual([]);
});

it('every route of the server under /api is in the document, and no others', () => {
  const served = platform.app
    .get(RouteTable)
    .all()
    .filter(({ method, url }) => method !== 'HEAD' && url.startsWith('/api/'))
    .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
  const documented = operations
    .filter(({ path, aliasOf }) => path.startsWith('/api/') && aliasOf === null)
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(documented.sort()).toEqual(served.sort());
  const ids = operations.filter(({ aliasOf }) => aliasOf === null).map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

it('an alias is another name of a path in the document with the same contract', () => {
  const aliases = operations.filter(({ aliasOf }) => aliasOf !== null);
  expect(new Set(aliases.map(({ path }) => path.split('/').slice(2, 4).join('/')))).toEqual(
    new Set(Object.keys(ALIASES)),
  );
  for (const { path, method, aliasOf, operation } of aliases) {
    const alias = path.split('/').slice(2, 4).join('/');
    const collection = ALIASES[alias as keyof typeof ALIASES];
    expect(aliasOf).toBe(path.replace(`/api/${alias}`, `/api/v1/${collection}`));
    expect(operation).toEqual(operations.find((each) => each.path === aliasOf && each.method === method)!.operation);
  }
  const collections: string[] = Object.values(ALIASES);
  const long = operations.filter(({ path }) => collections.includes(path.split('/').slice(3, 5).join('/')));
  expect(aliases.length).toBe(long.length);
});

it('takes at most 4 kB for each operation', () => {
  expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThanOrEqual(operations.length * 4_096);
});

it('defines what several operations share only once', () => {
  const raw = Object.values(document['paths'] as Record<string, Record<string, Json>>).flatMap((item) =>
    Object.values(item),
  );
  for (const [section, parts] of [
    ['parameters', raw.flatMap(({ parameters }) => (parameters ?? []) as Json[])],
    ['responses', raw.flatMap(({ responses }) => Object.values((responses ?? {}) as Json) as Json[])],
  ] as const) {
    const said = parts.filter((each) => !('$ref' in each)).map((each) => JSON.stringify(each));
    const components = Object.values((document['components'] as Record<string, Json>)[section]!);
    const all = [...said, ...components.map((each) => JSON.stringify(each))];
    expect([section, all.filter((each, at) => all.indexOf(each) !== at)]).toEqual([section, []]);
  }
});

it('lists its tags in the order of a business', () => {
  const areas = (document['tags'] as { name: string }[]).map(({ name }) => name.split(' ')[0]!);
  const order = areas.filter((area, at) => areas.indexOf(area) === at);
  const business = ['sales', 'finance', 'work', 'people', 'talent', 'ai', 'admin', 'developer', 'webhooks', 'scim'];
  expect(order.filter((area) => business.includes(area))).toEqual(business);
});

it('refers only to existing scopes and codes', () => {
  for (const { operation } of operations) {
    for (const scope of (operation['x-required-scopes'] ?? []) as string[]) expect(permissionNames()).toContain(scope);
    for (const [status, answer] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue;
      const { content } = answer as Answer & {
        content: Record<string, { schema: { properties: { code: { enum: (keyof typeof PROBLEMS)[] } } } }>;
      };
      if ('application/scim+json' in content || 'application/json' in content) continue; // SCIM and OAuth have no codes
      for (const code of content['application/problem+json']!.schema.properties.code.enum)
        expect(PROBLEMS[code][0]).toBe(Number(status));
    }
  }
});

it('every group of operations has its own description', () => {
  for (const { name, description } of document['tags'] as { name: string; description: string }[])
    expect([name, description]).not.toEqual([name, `Operations on ${name}.`]);
});

/** Names that are not given by users. */
const TOOLS = '/api/discovery/tools';

it('every list whose items have names can be searched and sorted by name', async () => {
  const lists = operationsOf(platform.document).filter(
    ({ method, path, parameters }) =>
      method === 'GET' && !path.includes('{') && parameters.some(({ name }) => name === 'limit'),
  );
  const api = (await platform.tenant()).api;
  const found: string[] = [];
  for (const { path, parameters } of lists) {
    const { operation } = operations.find((each) => each.path === path && each.method === 'get')!;
    const page = schemaOf(operation.responses['200']);
    const items = page && schemaIn(page, 'data', 'items');
    if (!items || !schemaIn(page, 'page') || !schemaIn(items, 'name') || path === TOOLS) continue;
    found.push(path);
    const names = parameters.map(({ name }) => name);
    expect([path, names.includes('sort'), names.includes('name[contains]')]).toEqual([path, true, true]);
    const { status, body } = await api.get<{ data: { name: string }[] }>(`${path}?sort=-name&name[contains]=e`);
    expect([path, status, body.data.every(({ name }) => /e/i.test(name))]).toEqual([path, 200, true]);
    expect([path, (await api.get(`${path}?sort=name&name[contains]=no%20such`)).body]).toMatchObject([
      path,
      { data: [] },
    ]);
  }
  expect(found.length).toBeGreaterThan(40);
});
