import pg from 'pg';
import { adopt } from '#libs/auth/current-principal.js';
import { NO_AUTHORITY } from '#libs/auth/authority.js';
import { PermissionSet } from '#libs/auth/permissions.js';
import { Database } from '#libs/database/database.js';
import { fieldsOf } from '#libs/http/field.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Position } from '#libs/kernel/cursor.js';
import { operationPrefix, type ResourceDefinition } from '#libs/resource/types/definition.js';
import { type Filter, type FilterOperator, toListRequest } from '#libs/resource/lists/list-query.js';
import type { Records } from '#libs/resource/records/records.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { type Guard, Table } from '#libs/resource/lists/table.js';
import { runInScope, Scope } from '#libs/tenancy/scope.js';
import type { TestTenant } from '../harness/platform.js';
import { fixtureOf } from '../matrix/fixtures.js';
import { subjectOf } from '../matrix/foreign-ids.js';
import type { Operation } from '../matrix/operations.js';
import { type Running, sceneOf, startRunning } from '../matrix/running.js';
import { fillTable, MANY } from './many-rows.js';
import { faultsOfPlan, faultsOfSort, type PlanNode } from './plan-faults.js';

/**
 * Each documented sort and filter of a list uses an index, with the API's role and row-level security, so a page costs
 * the same in a large tenant as in a small one.
 */
const platform: Running = await startRunning();
const resources = platform.app.get(ResourceRegistry).all();
const { source } = platform.app.get(Database);
let app: pg.Client;
let tenant: TestTenant;
/** A record of each type. All are created before the first table is filled with artificial rows. */
const samples = new Map<string, string>();
beforeAll(async () => {
  tenant = await platform.tenant();
  const scene = sceneOf(platform, tenant, 'many');
  for (const definition of resources) {
    const reading = { id: `${operationPrefix(definition)}.get` } as Operation; // the part that fixtures use
    samples.set(definition.type, subjectOf(await fixtureOf(reading).call(scene))!);
  }
  app = new pg.Client({ connectionString: platform.database.appUrl });
  await app.connect();
});
afterAll(async () => {
  await app.end();
  await platform.close();
});

/** Accepted exceptions without an index, by type and reported fault, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

function expectNone({ type }: ResourceDefinition, found: string[]): void {
  expect(found.filter((fault) => EXCEPTIONS[`${type} ${fault}`] === undefined)).toEqual([]);
}

/** Costs for rows in memory, so that small tables are not scanned just because a sequential read is cheap on disk. */
const MEMORY = `select set_config('random_page_cost', '1.1', true), set_config('max_parallel_workers_per_gather', '0', true)`;
const OPERATORS: readonly FilterOperator[] = ['eq', 'in', 'gte', 'lt', 'isNull', 'pattern'];
/** Start of the later page. */
const DEEP = MANY / 3;

type Query = Record<string, unknown>;

async function asTenant<T>(work: () => Promise<T>): Promise<T> {
  await app.query('begin');
  try {
    await app.query(`select set_config('app.tenant_id', $1, true)`, [tenant.id]);
    await app.query(MEMORY);
    return await work();
  } finally {
    await app.query('rollback');
  }
}

/** The visibility condition for a member with only the right to read. */
function guardOf({ type, permissions }: ResourceDefinition): Guard | null {
  const { service } = platform.app.get(ResourceRegistry).ofType(type)!;
  const scope = new Scope('list-plans');
  const facts = { id: tenant.id, slug: tenant.slug, plan: 'enterprise', currency: 'USD', epoch: '1' };
  adopt(scope, {
    credentialId: uuidv7(),
    keyId: 'list-plans',
    kind: 'api_key',
    lineageId: uuidv7(),
    name: 'list plans',
    membershipId: uuidv7(),
    makerId: null,
    scopes: ['*'],
    networks: [],
    permissions: new PermissionSet([permissions.read]),
    authority: NO_AUTHORITY,
    allowProtected: false,
    signIn: null,
    delegation: null,
    multiFactorAt: null,
    switchedOff: new Set(),
    tenant: facts,
    limits: { read: 1, write: 1 },
    ownLimits: { read: null, write: null },
  });
  const { rules } = service as Records;
  const inScope = (run: () => string): string => runInScope(scope, run);
  const own = runInScope(scope, () => rules.guard());
  return own && ((add) => inScope(() => own(add)));
}

/** The first page, for a caller who sees all. */
const ANYWHERE = { after: null, guard: null, matches: null, marks: null };

async function planOf(
  definition: ResourceDefinition,
  query: Query,
  after: Position | null = null,
  matches: string[] | null = null,
): Promise<PlanNode> {
  const table = new Table(source, definition.entity);
  const request = toListRequest(definition.list, query);
  const { text, values } = table.page(tenant.id, request, definition.list, {
    ...{ after, matches, guard: guardOf(definition), marks: null },
  });
  const { rows } = await asTenant(() =>
    app.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (format json) ${text}`, values),
  );
  return rows[0]!['QUERY PLAN'][0].Plan;
}

/** Start of a page deep inside the list. */
async function positionOf(definition: ResourceDefinition, sort: string): Promise<Position> {
  const table = new Table(source, definition.entity);
  const request = {
    ...toListRequest(definition.list, { sort: [sort], limit: 1 }),
    includeArchived: true,
    includeDeleted: true,
  };
  const { text, values } = table.page(tenant.id, request, definition.list, ANYWHERE);
  const { rows } = await platform.admin.query<Record<string, unknown>>(`${text} offset ${DEEP}`, values);
  const value = rows[0]![sort.replace('-', '')];
  return [value instanceof Date ? value.toISOString() : (value as Position[number]), rows[0]!['id'] as string];
}

/** Fields that a list sorts by and whose values are words: not terms, ids or times. */
function wordsOf({ list, view }: ResourceDefinition): string[] {
  return list.sorts.filter((field) => {
    const schema = fieldsOf(view).get(field)?.kind.schema ?? {};
    return schema['type'] === 'string' && !('enum' in schema) && !('format' in schema);
  });
}

it('every list sorts words alphabetically', () => {
  const found = resources.flatMap((definition) =>
    wordsOf(definition).map((field) => {
      const request = toListRequest(definition.list, { sort: [field] });
      const { text } = new Table(source, definition.entity).page(tenant.id, request, definition.list, ANYWHERE);
      return { field: `${definition.type} ${field}`, order: text.slice(text.indexOf(' order by ')) };
    }),
  );
  expect(found.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['sales.deal name', 'sales.product sku', 'people.employee employeeNumber']),
  );
  expect(found.filter(({ order }) => !order.includes('collate data.alphabet'))).toEqual([]);
});

/** A value that some rows have, in the format of the parameter. */
async function valueFor(definition: ResourceDefinition, field: string, filter: Filter): Promise<unknown> {
  const text = await textFor(definition, field, filter);
  return filter.kind.parse(text) ?? text;
}

async function textFor(definition: ResourceDefinition, field: string, filter: Filter): Promise<string> {
  const { kind, exists, sql } = filter;
  const words = kind.schema['enum'] as string[] | undefined;
  if (words) return words[0]!;
  if (field === 'tag') return 'tag7';
  if (field === 'externalRef') return 'crm:77';
  if (field === 'customFields.*') return 'r7';
  if (kind.schema['type'] === 'boolean') return 'true';
  const column = source.getMetadata(definition.entity).findColumnWithPropertyName(field)?.databaseName;
  const own = exists ? undefined : (sql ?? (column && `t.${column}`))?.replaceAll(':now', 'now()');
  if (own) {
    const name = source.getMetadata(definition.entity).tablePath;
    const { rows } = await platform.admin.query<{ value: string }>(
      `select ${own}::text as value from ${name} t where tenant_id = $1 and ${own} is not null limit 1`,
      [tenant.id],
    );
    if (rows[0]) return rows[0].value;
  }
  if (filter.person || kind.schema['format'] === 'uuid') return uuidv7();
  return kind.schema['type'] === 'integer' ? '1' : 'v1';
}

/** The queries of one filter by name. */
function queriesOf(field: string, { operators, plain = 'eq' }: Filter, value: unknown): [name: string, query: Query][] {
  const parameter = field.replace('*', 'region');
  return operators
    .filter((operator) => OPERATORS.includes(operator))
    .map((operator) => {
      const given = operator === 'in' ? [value] : operator === 'isNull' ? true : value;
      const name = operator === plain ? parameter : `${parameter}[${operator}]`;
      return [name, { [name]: given }];
    });
}

describe.each(resources)('$type', (definition) => {
  const name = source.getMetadata(definition.entity).tablePath;

  beforeAll(() => fillTable(platform.admin, name, definition.type, samples.get(definition.type)!));

  it('has many rows', async () => {
    const { rows } = await platform.admin.query<{ count: number }>(
      `select count(*)::int as count from ${name} where tenant_id = $1`,
      [tenant.id],
    );
    expect(rows[0]!.count).toBeGreaterThan(MANY * 0.6);
  });

  it('is sorted by an index on each page', async () => {
    const found: string[] = [];
    for (const sort of definition.list.sorts.flatMap((field) => [field, `-${field}`])) {
      const first = await planOf(definition, { sort: [sort] });
      const later = await planOf(definition, { sort: [sort] }, await positionOf(definition, sort));
      found.push(...faultsOfSort(first, name, false).map((fault) => `sort=${sort}: ${fault}`));
      found.push(...faultsOfSort(later, name, true).map((fault) => `sort=${sort}, later: ${fault}`));
    }
    expectNone(definition, found);
  });

  it('is filtered by an index', async () => {
    const found: string[] = [];
    for (const [field, filter] of Object.entries(definition.list.filters))
      for (const [query, values] of queriesOf(field, filter, await valueFor(definition, field, filter))) {
        const faults = faultsOfPlan(await planOf(definition, values), name);
        found.push(...faults.map((fault) => `${query}: ${fault}`));
      }
    expectNone(definition, found);
  });

  if (definition.list.searchable)
    it('is searched by an index', async () => {
      const few = [uuidv7(), uuidv7()];
      expectNone(definition, faultsOfPlan(await planOf(definition, { q: 'name' }, null, few), name));
      expectNone(definition, faultsOfPlan(await planOf(definition, { q: 'name' }), name));
    });
});
