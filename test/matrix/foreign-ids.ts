import type { Call, Scene } from './fixture-parts.js';
import { callOf, fixtureOf, REFERENCES } from './fixtures.js';
import { exampleBody, type Json, type Operation, type Schema, typeOf, withoutNull } from './operations.js';

/** A place in a request for an id. */
export interface Place {
  /** E.g. `path id`, `query pipelineId[in]`, `body /items/0/id`. */
  name: string;
  kind: 'path' | 'query' | 'body';
  /** Whether the id is that of the record of the operation rather than a reference. */
  subject: boolean;
  /** The same for `x[ne]`: everything but the id. */
  negated: boolean;
  /** Creates a record that can be referenced here and returns its id. */
  make(scene: Scene): Promise<string>;
  /** The request of `base` with `id` in this place and nothing optional. */
  build(base: Call, id: string): Call;
}

/**
 * Members that need another body than that of the fixture (tested in `test/e2e`), or repeat members of the body.
 */
const LEFT_OUT: Record<string, readonly string[]> = {
  'admin.access_reviews.list': ['campaignId'],
  'admin.access_reviews.command': ['campaignId', 'itemId', 'newRoleIds'],
  'admin.delivery_control.apply': ['filter', 'params'],
  'admin.sales_handoff.create': ['match', 'items', 'projectTemplateId', 'deliveryOwnerRule'],
  'admin.sales_handoff.change': ['checklist'],
  'admin.sales_handoff.update_template': ['deliveryOwnerRule'],
  'admin.slo.change': ['slos'],
  'admin.talent_mapping.create': ['match', 'defaults', 'onboardingTemplateId'],
  'data_export.requests.create': ['subject'],
  'data_export.subject_search.run': ['id'],
  'operations.checklists.change_item': ['fileId'],
  'people.employees.update': ['templateId'],
  'people.employees.update_many': ['templateId'],
  'work.tasks.update': ['relatedTo'], // tried at creation
  'work.tasks.update_many': ['relatedTo'],
};

/** The whole list on one page, because cursors depend on filters. */
const WHOLE = { limit: '200' };

const NAMES_ID = /(^i|I)ds?$/;

const isId = (name: string, schema: Schema): boolean => {
  if (name === 'taxId' || name === 'nationalId' || name === 'externalId') return false; // assigned by others
  const plain = withoutNull(schema);
  if (typeOf(plain) === 'boolean') return false;
  if ([plain.type].flat().includes('integer')) return false; // id of a message
  return NAMES_ID.test(name) || plain.format === 'uuid' || plain.items?.format === 'uuid';
};

const takesLimit = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === 'limit');

/** The query parameters that a call requires. */
function neededOf({ parameters }: Operation, { query = {} }: Call): Record<string, string> {
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return Object.fromEntries(needed.flatMap(({ name }) => (name in query ? [[name, query[name]!]] : [])));
}

/** All places for ids in an operation. @throws Error if no fixture can create the record. */
export function placesOf(operation: Operation): Place[] {
  const places: Place[] = [];
  const { beside, everywhere } = fixtureOf(operation);
  const others = LEFT_OUT[operation.id] ?? [];
  for (const { name, in: location, schema } of operation.parameters) {
    const [field = ''] = name.split('[');
    if (location === 'header' || others.includes(field) || (everywhere && location === 'path') || !isId(field, schema))
      continue;
    places.push({
      name: `${location} ${name}`,
      kind: location,
      subject: location === 'path' || /^ids?$/.test(field),
      negated: name.endsWith('[ne]'),
      make: makerOf(operation, field, location),
      build: (base, id) =>
        location === 'path'
          ? { ...base, path: { ...base.path, [name]: id } }
          : {
              ...base,
              query: {
                ...neededOf(operation, base),
                ...(takesLimit(operation) ? WHOLE : base.path && base.query),
                ...beside?.[name],
                [name]: id,
              },
            },
    });
  }
  const trails = operation.body ? trailsOf(operation.body, []) : [];
  for (const trail of trails.filter((each) => !each.some((part) => others.includes(part))))
    places.push(bodyPlace(operation, trail));
  return places;
}

/** Id of the record of a call; null when there is none. */
export function subjectOf(call: Call): string | null {
  return call.path?.['id'] ?? call.query?.['id'] ?? (call.body?.['id'] as string | undefined) ?? null;
}

function makerOf(operation: Operation, field: string, location: 'path' | 'query' | 'body'): Place['make'] {
  const own = REFERENCES[`${operation.id}.${location} ${field}`] ?? REFERENCES[`${operation.id}.${field}`];
  if (own) return own;
  if (location === 'path' || /^ids?$/.test(field))
    return async (scene) => {
      const call = await callOf(operation, scene);
      const subject = call.path?.[field] ?? subjectOf(call) ?? (await newestOf(operation, scene));
      if (!subject) throw new Error(`The fixture of ${operation.id} makes no record for ${location} ${field}.`);
      return subject;
    };
  const maker = REFERENCES[field];
  if (!maker) throw new Error(`Add ${field} of ${operation.id} to the references of its area in test/matrix/fixtures.`);
  return maker;
}

/** For lists: any record on the first page. */
async function newestOf(operation: Operation, { api }: Scene): Promise<string | null> {
  if (operation.method !== 'GET') return null;
  const { body } = await api.get<{ data?: { id: string }[] }>(operation.path);
  return body.data?.[0]?.id ?? null;
}

function trailsOf(schema: Schema, trail: string[]): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    if (name === 'externalRefs' || name === 'provider') return []; // external ids
    if (name === 'id' && trail.includes('lineItems')) return []; // parts of the record itself
    if (name === 'lineId' && trail.includes('options')) return []; // the same
    const plain = withoutNull(member);
    if (isId(name, plain)) return [plain.items ? [...trail, name, '0'] : [...trail, name]];
    if (plain.properties) return trailsOf(plain, [...trail, name]);
    return plain.items?.properties ? trailsOf(plain.items, [...trail, name, '0']) : [];
  });
}

function bodyPlace(operation: Operation, trail: string[]): Place {
  const field = trail.findLast((part) => !/^\d+$/.test(part))!;
  return {
    name: `body /${trail.join('/')}`,
    kind: 'body',
    subject: /^ids?$/.test(field) && (trail.length === 1 || trail[0] === 'items'),
    negated: false,
    make: makerOf(operation, field, 'body'),
    build: (base, id) => {
      // Only this member, because a patch that mixes changes and transitions is refused.
      const start = operation.method === 'PATCH' ? onlySubject(base.body) : { ...base.body };
      if (trail[0] === 'items') delete start['id'];
      const one = operation.method === 'POST' ? severalOf(operation.body!, trail[0]!) : null;
      if (one) return { ...base, body: { [trail[0]!]: [put(start, trail.slice(2), id, one, null)] } };
      return { ...base, body: put(start, trail, id, operation.body!, subjectOf(base)) as Json };
    },
  };
}

/** The schema of the items of a list, if the body without the list is itself an item. */
function severalOf({ properties = {} }: Schema, list: string): Schema | null {
  const each = withoutNull(properties[list]!).items;
  const others = Object.keys(properties).filter((name) => name !== list);
  return each?.properties && others.length > 0 && others.every((name) => name in each.properties!) ? each : null;
}

/** The members that name the record to change. */
function onlySubject(body: Json | undefined): Json {
  const names = ['id', 'checkKey'].filter((name) => body?.[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, body![name]]));
}

/**
 * Sets a nested member and creates the objects and lists around it; an object that requires an id gets that of the
 * subject.
 */
function put(target: unknown, trail: string[], id: string, schema: Schema, subject: string | null): unknown {
  const [head, ...rest] = trail;
  if (head === undefined) return id;
  const plain = withoutNull(schema);
  if (/^\d+$/.test(head)) return [put(undefined, rest, id, plain.items!, subject)];
  const start = (target ?? exampleBody(plain)) as Json;
  const own = subject !== null && plain.required?.includes('id') ? { id: subject } : {};
  return { ...start, ...own, [head]: put(start[head], rest, id, plain.properties![head]!, subject) };
}
