import fc from 'fast-check';
import pg from 'pg';
import { Database } from '#libs/database/database.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import { Table } from '#libs/resource/lists/table.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { AGGREGATES, type Aggregate, type Bucket, BUCKETS } from '#src/areas/reports/query/question.js';
import { ReportEngine } from '#src/areas/reports/query/report-engine.js';
import {
  isAmount,
  isGroupable,
  isNumber,
  isOrdered,
  type ReportField,
  reportFields,
} from '#src/areas/reports/query/report-fields.js';
import { planColumns } from '#src/areas/reports/query/report-plan.js';
import { reportStatement } from '#src/areas/reports/query/report-sql.js';
import { asAdmin } from '../../harness/database.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestTenant } from '../../harness/platform.js';
import { issuedInvoice } from '../finance/payment-calls.js';
import { dayFrom } from '../people/people-calls.js';
import { MAKERS } from '../admin/scorecard-records.js';
import { act, makeDeal } from '../sales/deal-calls.js';
import { ask, type Asked, faults, type Item, itemsOf, QUERY } from './report-calls.js';

const ZONE = 'America/New_York';
const TYPES = [
  'sales.deal',
  'sales.lead',
  'sales.account',
  'finance.invoice',
  'work.task',
  'work.project',
  'people.employee',
];
/** Fields whose filter compares an expression instead of a column of the same name. */
const COMPUTED: Record<string, readonly string[]> = {
  'sales.deal': ['isStale'],
  'sales.lead': ['email'],
  'finance.invoice': ['status', 'isOverdue'],
  'work.task': ['priority', 'category', 'isOverdue'],
  'work.project': ['priority', 'health', 'isOverdue'],
};
const COUNT = { aggregate: 'count' } as const;

const platform = await startPlatform();
afterAll(() => platform.close());
const registry = platform.app.get(ResourceRegistry);
const { source } = platform.app.get(Database);

function fieldsOf(type: string): ReportField[] {
  const { definition } = registry.ofType(type)!;
  return [...reportFields(definition, new Table(source, definition.entity)).values()];
}

async function workspace({ api }: TestTenant, name: string): Promise<string> {
  const answer = await api.post<{ id: string }>('/api/admin/workspaces', { name });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.id;
}

/** First date of the period of a value, as a reader would calculate it. */
function periodOf(value: string, { kind }: ReportField, bucket: Bucket): string {
  const day = kind === 'date' ? value : civilDateAt(Date.parse(value), ZONE);
  const [year, month] = [day.slice(0, 4), Number(day.slice(5, 7))];
  if (bucket === 'day') return day;
  if (bucket === 'year') return `${year}-01-01`;
  const first = bucket === 'month' ? month : 3 * Math.floor((month - 1) / 3) + 1;
  if (bucket !== 'week') return `${year}-${String(first).padStart(2, '0')}-01`;
  const at = Date.parse(`${day}T00:00:00Z`);
  return new Date(at - new Date(at).getUTCDay() * 86_400_000).toISOString().slice(0, 10); // weeks begin on Sunday
}

/** The value of a field as its filter reads it, such as an e-mail address in lower case. */
function comparedValue({ filter }: ReportField, value: unknown): string | null {
  return (typeof value === 'string' ? filter!.kind.parse(value) : value) as string | null;
}

/** An aggregate of the items of a list. */
function recounted(aggregate: Aggregate, field: string | null, items: Item[]): unknown {
  if (field === null) return items.length;
  const values = items.map((item) => item[field] as number | string | null).filter((value) => value !== null);
  if (aggregate === 'count_distinct') return new Set(values).size;
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (aggregate === 'min') return sorted[0];
  if (aggregate === 'max') return sorted.at(-1);
  const numbers = sorted.map(Number);
  const sum = numbers.reduce((total, value) => total + value, 0);
  if (aggregate === 'sum') return sum;
  if (aggregate === 'avg') return Math.round((sum / numbers.length) * 1e6) / 1e6;
  const middle = (numbers.length - 1) / 2;
  return (numbers[Math.floor(middle)]! + numbers[Math.ceil(middle)]!) / 2;
}

function measuresOf(type: string): Asked['measures'] {
  const fields = fieldsOf(type);
  const currency = fields.find(({ name }) => name === 'currency');
  const isKnown = (field: ReportField) => !isAmount(field) || (currency && isGroupable(currency, false));
  const shown = new Set(registry.ofType(type)!.definition.restricted?.flatMap((each) => each.fields));
  const usable = fields.filter((each) => isKnown(each) && !shown.has(each.name));
  const all = usable.flatMap((field) =>
    AGGREGATES.filter((each) =>
      each === 'min' || each === 'max' ? isOrdered(field) : each !== 'count' && isNumber(field),
    ).map((aggregate) => ({ aggregate, field: field.name })),
  );
  return [COUNT, ...all].slice(0, 10);
}

/** Compares reports by every dimension of a type with the items that the caller can list. */
async function compare(api: Client, type: string, concealed: readonly string[] = []): Promise<number> {
  const { definition } = registry.ofType(type)!;
  const items = await itemsOf(api, pathOf(definition));
  const measures = measuresOf(type);
  let groups = 0;
  const usable = fieldsOf(type).filter(({ name }) => !concealed.includes(name));
  const dimensions = usable.flatMap((field) =>
    [null, ...BUCKETS]
      .filter((bucket) => isGroupable(field, bucket !== null) && (bucket !== null || field.kind !== 'instant'))
      .map((bucket) => ({ field, bucket })),
  );
  expect(dimensions.length).toBeGreaterThan(5);
  expect(dimensions.map(({ field }) => field.name)).toEqual(expect.arrayContaining([...(COMPUTED[type] ?? [])]));
  for (const { field, bucket } of dimensions) {
    const question = { recordType: type, dimensions: [{ field: field.name, bucket }], measures };
    const { rows, columns } = await ask(api, question);
    const keys = columns.filter(({ role }) => role === 'dimension').map(({ key }) => key);
    const keyOf = (item: Item) => {
      const value = comparedValue(field, item[field.name] ?? null);
      const own = value === null || bucket === null ? value : periodOf(value, field, bucket);
      return JSON.stringify(keys.length > 1 ? [own, item['currency'] ?? null] : [own]);
    };
    const expected = Map.groupBy(items, keyOf);
    const found = new Map(rows.map((row) => [JSON.stringify(keys.map((key) => row.values[key])), row]));
    expect([type, field.name, bucket, [...found.keys()].sort()]).toEqual([
      type,
      field.name,
      bucket,
      [...expected.keys()].sort(),
    ]);
    for (const [key, { values, drillDown }] of found) {
      const group = expected.get(key)!;
      for (const column of columns.filter(({ role }) => role === 'measure'))
        expect([type, key, column.key, values[column.key]]).toEqual([
          type,
          key,
          column.key,
          recounted(column.aggregate!, column.field, group),
        ]);
      const listed = await itemsOf(api, drillDown);
      expect([drillDown, listed.map(({ id }) => id).sort()]).toEqual([drillDown, group.map(({ id }) => id).sort()]);
      groups++;
    }
  }
  return groups;
}

describe('a report by every field', () => {
  let tenant: TestTenant;
  let manager: Client;
  beforeAll(async () => {
    tenant = await platform.tenant();
    const [own, other] = [await workspace(tenant, 'Own'), await workspace(tenant, 'Other')];
    for (const workspaceId of [own, other, null])
      for (const type of TYPES) await MAKERS[type]!({ platform, tenant, workspaceId });
    // The zone comes last: the makers' days are of UTC, and an invoice of tomorrow is not issued.
    const general = { timezone: ZONE, weekStart: 'sunday' };
    expect((await tenant.api.patch('/api/admin/settings', { general })).status).toBe(200);
    await asAdmin(
      platform.database,
      `update data.sales_deals set created_at = created_at - (abs(hashtext(id::text)) % 9000) * interval '1 hour'
       where tenant_id = $1`,
      [tenant.id],
    );
    for (const [table, change] of [
      [
        'sales_leads',
        `email = case when hash % 3 > 0 then (array['Ada@Acme.example', 'ada@acme.example'])[hash % 3] end`,
      ],
      ['work_tasks', 'priority = hash % 5, due_date = case when hash % 3 = 0 then null else due_date end'],
      ['work_projects', 'priority = hash % 5, health = hash % 4'],
    ] as const)
      await asAdmin(
        platform.database,
        `update data.${table} set ${change.replaceAll('hash', 'abs(hashtext(id::text))')} where tenant_id = $1`,
        [tenant.id],
      );
    const place = { roles: ['member'], workspaces: { [own]: 'member' as const } };
    manager = (await platform.member(tenant, 'Mia', ['*'], place)).api;
  }, 240_000);

  it.each(TYPES)(
    'equals the list of %s, and each row lists its records',
    async (type) => {
      expect(await compare(tenant.api, type)).toBeGreaterThan(5);
    },
    240_000,
  );

  it.each(TYPES)(
    'equals the list of %s for a role that is limited to a workspace',
    async (type) => {
      const whole = await ask(tenant.api, { recordType: type, measures: [COUNT] });
      const part = await ask(manager, { recordType: type, measures: [COUNT] });
      expect(Number(part.rows[0]!.values['count'])).toBeLessThan(Number(whole.rows[0]!.values['count']));
      const { restricted = [] } = registry.ofType(type)!.definition;
      await compare(
        manager,
        type,
        restricted.flatMap(({ fields }) => fields),
      );
    },
    240_000,
  );
});

describe('a report', () => {
  let tenant: TestTenant;
  beforeEach(async () => {
    tenant = await platform.tenant();
  });
  const sums = { aggregate: 'sum', field: 'valueMinor' } as const;
  const won = { recordType: 'sales.deal', filter: { status: 'open' } };

  it('never combines amounts of different currencies', async () => {
    for (const [valueMinor, currency] of [
      [100, 'USD'],
      [200, 'USD'],
      [5, 'JPY'],
    ])
      await makeDeal(tenant.api, { valueMinor, currency });
    const { columns, rows } = await ask(tenant.api, { ...won, measures: [COUNT, sums] });
    expect(columns.map(({ key, unit }) => [key, unit])).toEqual([
      ['currency', null],
      ['count', null],
      ['sum_valueMinor', 'minor'],
    ]);
    expect(rows).toEqual([
      {
        values: { currency: 'JPY', count: 1, sum_valueMinor: 5 },
        drillDown: '/api/v1/sales/deals?currency=JPY&status=open',
      },
      {
        values: { currency: 'USD', count: 2, sum_valueMinor: 300 },
        drillDown: '/api/v1/sales/deals?currency=USD&status=open',
      },
    ]);
  });

  it('groups invoices by the status that the list shows, also if it is not stored yet', async () => {
    const days = (count: number) => dayFrom(platform.clock.nowMs(), count);
    await issuedInvoice(tenant.api, 1_000, { issueDate: days(-1), dueDate: days(9) });
    const late = await issuedInvoice(tenant.api, 2_000, { issueDate: days(-9), dueDate: days(-2) });
    await asAdmin(platform.database, `update data.finance_invoices set status = 'issued' where tenant_id = $1`, [
      tenant.id,
    ]);
    const dimensions = [{ field: 'status' }];
    const { rows } = await ask(tenant.api, { recordType: 'finance.invoice', dimensions, measures: [COUNT] });
    expect(rows).toEqual([
      { values: { status: 'issued', count: 1 }, drillDown: '/api/v1/finance/invoices?status=issued' },
      { values: { status: 'overdue', count: 1 }, drillDown: '/api/v1/finance/invoices?status=overdue' },
    ]);
    expect((await itemsOf(tenant.api, rows[1]!.drillDown)).map(({ id }) => id)).toEqual([late.id]);
  });

  it('keeps the tighter bound of its filter in the list of a row', async () => {
    const { id } = await makeDeal(tenant.api, { expectedCloseDate: '2026-11-20' });
    await makeDeal(tenant.api, { expectedCloseDate: '2026-11-05' });
    const { rows } = await ask(tenant.api, {
      recordType: 'sales.deal',
      filter: { 'expectedCloseDate[gte]': '2026-11-10' },
      dimensions: [{ field: 'expectedCloseDate', bucket: 'month' }],
      measures: [COUNT],
    });
    expect(rows.map(({ values }) => values)).toEqual([{ expectedCloseDate_month: '2026-11-01', count: 1 }]);
    expect((await itemsOf(tenant.api, rows[0]!.drillDown)).map((item) => item.id)).toEqual([id]);
  });

  it('sorts by any column and says when there are more groups', async () => {
    for (const [name, count] of [
      ['a', 1],
      ['b', 3],
      ['c', 2],
    ] as const)
      for (let i = 0; i < count; i++) await makeDeal(tenant.api, { name });
    const question = { recordType: 'sales.deal', dimensions: [{ field: 'name' }], measures: [COUNT] };
    const names = async (more: object) => {
      const { rows, rowCount, truncated } = await ask(tenant.api, { ...question, ...more });
      return { names: rows.map(({ values }) => values['name']), rowCount, truncated };
    };
    expect(await names({ sort: ['-count'] })).toEqual({ names: ['b', 'c', 'a'], rowCount: 3, truncated: false });
    expect(await names({ maxRows: 2 })).toEqual({ names: ['a', 'b'], rowCount: 2, truncated: true });
  });

  it('does not count the trash, and the archive only on request', async () => {
    const [kept, archived, deleted] = [
      await makeDeal(tenant.api),
      await makeDeal(tenant.api),
      await makeDeal(tenant.api),
    ];
    await act(tenant.api, archived.id, 'archive');
    await tenant.api.delete(`/api/v1/sales/deals/${deleted.id}`);
    const count = async (filter: Record<string, string>) =>
      (await ask(tenant.api, { recordType: 'sales.deal', filter, measures: [COUNT] })).rows[0]!.values['count'];
    expect(await count({})).toBe(1);
    expect(await count({ includeArchived: 'true' })).toBe(2);
    expect(await count({ ids: kept.id })).toBe(1);
    const answer = await tenant.api.post(QUERY, { ...won, filter: { includeDeleted: 'true' }, measures: [COUNT] });
    expect(faults(answer)).toEqual({ status: 400, faults: ['/filter/includeDeleted not_applicable'] });
  });

  it('filters by words, tags and custom fields like the list', async () => {
    await makeDeal(tenant.api, { name: 'Acme renewal', tags: ['red'] });
    await makeDeal(tenant.api, { name: 'Globex', tags: ['red', 'blue'] });
    const count = async (filter: Record<string, string>) => {
      const { rows } = await ask(tenant.api, { recordType: 'sales.deal', filter, measures: [COUNT] });
      expect(await itemsOf(tenant.api, rows[0]!.drillDown)).toHaveLength(Number(rows[0]!.values['count']));
      return rows[0]!.values['count'];
    };
    expect(await count({ q: 'acme' })).toBe(1);
    expect(await count({ tag: 'red' })).toBe(2);
    expect(await count({ q: 'globex', tag: 'red' })).toBe(1);
  });

  it.each([
    [{ recordType: 'sales.nothing' }, '/recordType unknown_record_type'],
    [{ filter: { colour: 'red' } }, '/filter/colour unknown_parameter'],
    [{ dimensions: [{ field: 'colour' }] }, '/dimensions/0/field unknown_field'],
    [{ dimensions: [{ field: 'lostNotes' }] }, '/dimensions/0/field not_groupable'],
    [{ recordType: 'work.project', dimensions: [{ field: 'healthComputed' }] }, '/dimensions/0/field unknown_field'],
    [{ dimensions: [{ field: 'closedAt' }] }, '/dimensions/0/bucket required'],
    [{ dimensions: [{ field: 'status', bucket: 'day' }] }, '/dimensions/0/bucket not_applicable'],
    [{ dimensions: [{ field: 'status' }, { field: 'status' }] }, '/dimensions/1 not_unique'],
    [{ measures: [{ aggregate: 'sum', field: 'name' }] }, '/measures/0/field not_measurable'],
    [{ measures: [{ aggregate: 'max', field: 'status' }] }, '/measures/0/field not_measurable'],
    [{ measures: [{ aggregate: 'sum' }] }, '/measures/0/field required'],
    [{ measures: [{ aggregate: 'count', field: 'name' }] }, '/measures/0/field not_applicable'],
    [{ measures: [{ aggregate: 'sum', field: 'tags' }] }, '/measures/0/field unknown_field'],
    [{ measures: [{ aggregate: 'sum', field: 'constructor' }] }, '/measures/0/field unknown_field'],
    [{ measures: [{ aggregate: 'variance', field: 'valueMinor' }] }, '/measures/0/aggregate invalid_value'],
    [{ measures: [] }, '/measures too_few'],
    [{ sort: ['-value'] }, '/sort/0 invalid_value'],
    [{ maxRows: 10_001 }, '/maxRows out_of_range'],
    [
      { recordType: 'work.time_entry', measures: [{ aggregate: 'sum', field: 'amountMinor' }] },
      '/measures/0/field not_measurable',
    ],
  ])('is rejected: %j', async (more, fault) => {
    const answer = await tenant.api.post(QUERY, { recordType: 'sales.deal', measures: [COUNT], ...more });
    expect(faults(answer)).toEqual({ status: 400, faults: [fault] });
  });

  it('rejects fields that the caller may not see, wherever they are used', async () => {
    const key = await platform.key(tenant, ['reports:read', 'employees:read']);
    const [restricted] = registry.ofType('people.employee')!.definition.restricted!;
    const [field] = restricted!.fields as [string];
    const answer = await key.post(QUERY, {
      recordType: 'people.employee',
      dimensions: [{ field }],
      measures: [COUNT, { aggregate: 'count_distinct', field }],
    });
    expect(faults(answer)).toEqual({
      status: 400,
      faults: ['/dimensions/0/field field_forbidden', '/measures/1/field field_forbidden'],
    });
  });

  it('requires the read permission of the type', async () => {
    const key = await platform.key(tenant, ['reports:read', 'leads:read']);
    const answer = await key.post(QUERY, { recordType: 'sales.deal', measures: [COUNT] });
    expect(answer).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'deals:read' },
    });
  });

  it('stops a statement that takes too long', async () => {
    const engine = platform.app.get(ReportEngine);
    const { timeoutMs } = engine;
    engine.timeoutMs = 200;
    const client = new pg.Client({ connectionString: platform.database.adminUrl });
    await client.connect();
    try {
      await client.query('begin');
      await client.query('lock table data.sales_leads in access exclusive mode');
      const answer = await tenant.api.post(QUERY, { recordType: 'sales.lead', measures: [COUNT] });
      expect(answer).toMatchObject({ status: 422, body: { code: 'report_timeout' } });
    } finally {
      engine.timeoutMs = timeoutMs;
      await client.end();
    }
    await ask(tenant.api, { recordType: 'sales.lead', measures: [COUNT] });
  });
});

describe('the SQL of a report', () => {
  const { definition, service } = registry.ofType('sales.deal')!;
  const table = new Table(source, definition.entity);
  const fields = reportFields(definition, table);
  const resource = { definition, service: { ...service, visible: () => null } as unknown as typeof service }; // only the caller's limits differ
  const known = fc.constantFrom(...fields.keys());
  const anything = fc.oneof(fc.string(), fc.constantFrom(`'; drop table data.x; --`, '"', '$1', 'null'), known);

  it('contains nothing that a caller sent', () => {
    fc.assert(
      fc.property(
        fc.record({
          filterValue: fc.string({ minLength: 1 }),
          dimensions: fc.array(fc.record({ field: anything, bucket: fc.constantFrom(null, ...BUCKETS) }), {
            maxLength: 4,
          }),
          measures: fc.array(fc.record({ aggregate: fc.constantFrom(...AGGREGATES), field: anything }), {
            minLength: 1,
            maxLength: 5,
          }),
          sort: fc.array(anything, { maxLength: 2 }),
          maxRows: fc.integer({ min: 1, max: 10_000 }),
          timezone: fc.string(),
        }),
        ({ filterValue, timezone, ...asked }) => {
          const question = { recordType: 'sales.deal', filter: { name: filterValue }, ...asked };
          const { columns } = planColumns(question, fields, new Map());
          const request = toListRequest(definition.list, { 'name[contains]': filterValue, q: filterValue });
          const plan = { resource, request, filter: question.filter, maxRows: asked.maxRows, ...columns };
          const calendar = { timezone, weekStart: 'sunday' as const };
          const { text, values } = reportStatement(plan, table, { tenantId: 'tenant', calendar });
          const shape = text.replaceAll(/t\."[a-z_]+"/g, 'column');
          // Only fixed words, columns and expressions of the declaration, and parameters: no text of the question.
          expect(
            shape.replaceAll(/'(\d+ )?(days?|weeks?|months?|quarters?|years?|week|simple|open)'/g, 'word'),
          ).not.toMatch(/['"\\;]|--/);
          expect([...text.matchAll(/t\."([a-z_]+)"/g)].every(([, name]) => isColumn(name!))).toBe(true);
          expect(values).toContain(filterValue);
          expect(text.replaceAll(/\$\d+/g, '')).not.toContain('drop table');
        },
      ),
      { numRuns: 1_000 },
    );
  });

  const isColumn = (name: string) => table.fieldOf(name) !== undefined;
});
