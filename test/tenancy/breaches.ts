import type pg from 'pg';
import { insertion, redirection, type Row } from './row-builder.js';
import type { TenantTable } from './tenant-tables.js';

type Client = Pick<pg.ClientBase, 'query'>;

/** Rows for attempts on a table: `own` and `foreign` are stored, the drafts could be stored. */
export interface Target {
  table: TenantTable;
  own: Row;
  foreign: Row;
  /** A new row of the other tenant. */
  foreignDraft: Row;
  /** New rows of the tenant with one reference to a row of the other tenant. */
  crossed: { reference: string; draft: Row }[];
}

/** Result of a statement. */
interface Outcome {
  /** SQLSTATE; null when the statement succeeded. */
  code: string | null;
  message: string;
  count: number;
  text: string;
}

/** One statement with its expected outcome. */
interface Probe {
  name: string;
  text: string;
  values?: unknown[];
  expect: (outcome: Outcome) => boolean;
}

const NO_PRIVILEGE = 'permission denied for table';
const POLICY = 'new row violates row-level security policy';
const FOREIGN_KEY = '23503';
const NO_COPY_FROM = '0A000';
const NO_PARAMETER = '42704';
const NO_UUID = '22P02';

const nothing = ({ code, count, message }: Outcome) => (code === null ? count === 0 : message.startsWith(NO_PRIVILEGE));
// A row written by a trigger before may be blocked by row-level security of its own table.
const refused = ({ message }: Outcome) => message.startsWith(POLICY) || message.startsWith(NO_PRIVILEGE);
/** Blocked by row-level security of the table itself, not of another table that a trigger writes to. */
const refusedBy =
  ({ name }: TenantTable) =>
  (outcome: Outcome) =>
    refused(outcome) && outcome.message.endsWith(`table ${outcome.message.startsWith(POLICY) ? `"${name}"` : name}`);
const noTenant = ({ code, message }: Outcome) =>
  code === NO_PARAMETER || (code === NO_UUID && message.includes('""')) || message.startsWith(NO_PRIVILEGE);

/**
 * Tries all ways for a tenant to reach rows of another, inside the client's open transaction.
 * @param most stops after this many findings.
 * @returns the attempts that succeeded; empty when none did.
 */
export async function breachesAsTenant(
  client: Client,
  tenantId: string,
  target: Target,
  most = Infinity,
): Promise<string[]> {
  const probes = [...readProbes(tenantId, target), ...writeProbes(target), ...referenceProbes(target)];
  return run(client, probes, tenantId, most);
}

/** PostgreSQL copies a partitioned table only through a query. */
function copyTo({ name, partitioned }: TenantTable): string {
  return partitioned ? `copy (select * from data.${name}) to stdout` : `copy data.${name} to stdout`;
}

/** The same without a tenant in context: each statement must fail, never return an empty result. */
export async function breachesWithoutTenant(
  client: Client,
  { table, own, foreignDraft }: Target,
  most = Infinity,
): Promise<string[]> {
  const name = `data.${table.name}`;
  const probes: Omit<Probe, 'expect'>[] = [
    { name: 'SELECT', text: `select * from ${name}` },
    {
      name: 'SELECT of a named tenant',
      text: `select * from ${name} where tenant_id = $1`,
      values: [own['tenant_id']],
    },
    { name: 'count', text: `select count(*) from ${name}` },
    { name: 'INSERT', ...insertion(table, foreignDraft) },
    { name: 'UPDATE', text: `update ${name} set tenant_id = tenant_id` },
    { name: 'DELETE', text: `delete from ${name}` },
    { name: 'COPY TO', text: copyTo(table) },
  ];
  return run(
    client,
    probes.map((probe) => ({ ...probe, expect: noTenant })),
    null,
    most,
  );
}

function readProbes(tenantId: string, { table, own, foreign }: Target): Probe[] {
  const name = `data.${table.name}`;
  const values = [foreign['tenant_id']];
  const key = table.key.map((column, i) => `"${column}" = $${i + 1}`).join(' and ');
  const keyOf = (row: Row) => table.key.map((column) => row[column]);
  return [
    {
      name: 'the own row exists',
      text: `select 1 from ${name} where ${key}`,
      values: keyOf(own),
      expect: ({ count }) => count === 1,
    },
    { name: 'SELECT by key', text: `select * from ${name} where ${key}`, values: keyOf(foreign), expect: nothing },
    { name: 'SELECT by tenant', text: `select * from ${name} where tenant_id = $1`, values, expect: nothing },
    {
      name: 'SELECT of everything',
      text: `select tenant_id from ${name}`,
      expect: ({ code, text }) => code === null && text.includes(tenantId) && !text.includes(String(values[0])),
    },
    { name: 'FOR UPDATE', text: `select 1 from ${name} where tenant_id = $1 for update`, values, expect: nothing },
    { name: 'join', text: `select 1 from ${name} a join ${name} b on b.tenant_id = $1`, values, expect: nothing },
    {
      name: 'subquery',
      text: `select 1 where exists (select 1 from ${name} where tenant_id = $1)`,
      values,
      expect: nothing,
    },
    {
      name: 'aggregate',
      text: `select count(*) as n from ${name} where tenant_id = $1`,
      values,
      expect: ({ text }) => text === '[{"n":"0"}]',
    },
    {
      name: 'CTE',
      text: `with x as materialized (select * from ${name}) select 1 from x where tenant_id = $1`,
      values,
      expect: nothing,
    },
    { name: 'COPY TO', text: copyTo(table), expect: ({ code, count }) => code === null && count === 1 },
  ];
}

function writeProbes({ table, own, foreign, foreignDraft }: Target): Probe[] {
  const name = `data.${table.name}`;
  const insert = insertion(table, foreignDraft);
  const repeat = insertion(table, foreign);
  const key = table.key.map((column) => `"${column}"`).join(', ');
  const values = [foreign['tenant_id']];
  // A trigger may refuse a change that does not raise the version before the policy is checked.
  const raised = table.columns.some((column) => column.name === 'version') ? ', version = 1000000' : '';
  const some = table.columns.find(({ made, name: column }) => !made && column !== 'tenant_id')!.name;
  return [
    { name: 'INSERT', ...insert, expect: refused },
    { name: 'INSERT RETURNING', text: `${insert.text} returning *`, values: insert.values, expect: refused },
    {
      name: 'ON CONFLICT DO NOTHING',
      text: `${repeat.text} on conflict (${key}) do nothing`,
      values: repeat.values,
      expect: refused,
    },
    {
      name: 'ON CONFLICT DO UPDATE',
      text: `${repeat.text} on conflict (${key}) do update set "${some}" = excluded."${some}" returning *`,
      values: repeat.values,
      expect: refused,
    },
    { name: 'UPDATE', text: `update ${name} set "${some}" = "${some}" where tenant_id = $1`, values, expect: nothing },
    {
      name: 'UPDATE RETURNING',
      text: `update ${name} set "${some}" = "${some}" where tenant_id = $1 returning *`,
      values,
      expect: nothing,
    },
    {
      name: 'UPDATE from own to foreign',
      text: `update ${name} set tenant_id = $1${raised} where tenant_id = $2`,
      values: [foreign['tenant_id'], own['tenant_id']],
      expect: refusedBy(table),
    },
    {
      name: 'blind UPDATE from own to foreign', // it reads nothing, so only WITH CHECK can block it
      text: `update ${name} set tenant_id = $1${raised}`,
      values,
      expect: refusedBy(table),
    },
    { name: 'DELETE', text: `delete from ${name} where tenant_id = $1`, values, expect: nothing },
    { name: 'DELETE RETURNING', text: `delete from ${name} where tenant_id = $1 returning *`, values, expect: nothing },
    {
      name: 'DELETE USING',
      text: `delete from ${name} a using ${name} b where a.tenant_id = $1 and b.tenant_id = $1`,
      values,
      expect: nothing,
    },
    {
      name: 'MERGE',
      text: `merge into ${name} t using (select $1::uuid as tenant_id) s on t.tenant_id = s.tenant_id
        when matched then update set "${some}" = t."${some}"`,
      values,
      expect: nothing,
    },
    {
      name: 'TRUNCATE',
      text: `truncate ${name} cascade`,
      expect: ({ message }) => message === `permission denied for table ${table.name}`,
    },
    {
      name: 'COPY FROM',
      text: `copy ${name} from stdin`,
      expect: ({ code, message }) => code === NO_COPY_FROM || message.startsWith(NO_PRIVILEGE),
    },
  ];
}

function referenceProbes({ table, own, crossed }: Target): Probe[] {
  return crossed.map(({ reference, draft }) => {
    // If a row shares the key of its parent, no second one can be inserted, so the stored reference is redirected.
    const isStored = table.key.every((column) => draft[column] === own[column]);
    return {
      name: `${reference} to a foreign row`,
      ...(isStored ? redirection(table, reference, draft) : insertion(table, draft)),
      expect: ({ code, message }) => code === FOREIGN_KEY || message.startsWith(NO_PRIVILEGE),
    };
  });
}

/** Runs each probe in a separate savepoint, so that probes do not affect each other. */
async function run(client: Client, probes: readonly Probe[], tenantId: string | null, most: number): Promise<string[]> {
  const findings: string[] = [];
  const enter = tenantId === null ? '' : `; select set_config('app.tenant_id', '${tenantId}', true)`;
  for (const { name, text, values = [], expect } of probes) {
    if (findings.length >= most) break;
    await client.query(`savepoint probe${enter}`);
    const outcome = await attempt(client, text, values);
    await client.query('rollback to savepoint probe');
    if (!expect(outcome))
      findings.push(`${name}: ${outcome.code ?? 'no error'} ${outcome.message}, ${outcome.count} rows`);
  }
  return findings;
}

async function attempt(client: Client, text: string, values: unknown[]): Promise<Outcome> {
  try {
    const { rowCount, rows } = await client.query(text, values);
    return { code: null, message: '', count: rowCount ?? 0, text: JSON.stringify(rows) };
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    return { code, message, count: 0, text: '' };
  }
}
