import type pg from 'pg';
import { ACCOUNTING_TABLES, readTenantTables, SEALING_TABLES } from '../tenancy/tenant-tables.js';

/** Tables left out: requests are always counted, and references are reserved in blocks with gaps (ADR 10); the tree follows from the audit log. */
const NOT_DATA = ['number_series', ...ACCOUNTING_TABLES, ...SEALING_TABLES];

/**
 * Digests of all rows of a tenant by table; differences show what changed. Last uses and request counts are left out,
 * because the owner's own requests change them.
 */
export async function fingerprintOf(admin: pg.Pool, tenantId: string): Promise<Record<string, string>> {
  const tables = await tablesOf(admin);
  const { rows } = await admin.query<{ name: string; digest: string }>({
    name: 'fingerprint', // prepared once per connection, because planning takes several times as long as execution
    text: tables
      .map(({ name, column }) => `select '${name}' as name, md5(t::text) as digest from ${name} t where ${column} = $1`)
      .join(' union all '),
    values: [tenantId],
  });
  const digests = new Map(tables.map(({ name }) => [name, [] as string[]]));
  for (const { name, digest } of rows) digests.get(name)!.push(digest);
  return Object.fromEntries([...digests].map(([name, each]) => [name, each.sort().join(' ')]));
}

/** What every write leaves behind, also one that changes nothing. */
const TRACES = ['audit_log', 'events', 'events_pending', 'record_transitions'].map((name) => `data.${name}`);

/** As {@link fingerprintOf}, without the traces of writes: versions, times of change, audit entries, events. */
export async function contentOf(admin: pg.Pool, tenantId: string): Promise<Record<string, string | null>> {
  const tables = (await tablesOf(admin)).filter(({ name }) => !TRACES.includes(name));
  const { rows } = await admin.query<{ name: string; digest: string | null }>({
    name: 'content',
    text: tables
      .map(
        ({ name, column }) =>
          `select '${name}' as name, md5(string_agg(line, ',' order by line)) as digest from (
             select (to_jsonb(t) - '{version,updated_at,updated_by}'::text[])::text as line from ${name} t where ${column} = $1) rows`,
      )
      .join(' union all '),
    values: [tenantId],
  });
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** Everything stored for a tenant as text, to prove that something is not stored. */
export async function textOf(admin: pg.Pool, tenantId: string): Promise<string> {
  const tables = await tablesOf(admin);
  const { rows } = await admin.query<{ text: string }>(
    tables.map(({ name, column }) => `select t::text as text from ${name} t where ${column} = $1`).join(' union all '),
    [tenantId],
  );
  return rows.map(({ text }) => text).join('\n');
}

interface TenantTable {
  name: string;
  column: string;
}

const known = new WeakMap<pg.Pool, Promise<TenantTable[]>>();

function tablesOf(admin: pg.Pool): Promise<TenantTable[]> {
  let tables = known.get(admin);
  if (!tables) known.set(admin, (tables = readTables(admin)));
  return tables;
}

async function readTables(admin: pg.Pool): Promise<TenantTable[]> {
  const tables = await readTenantTables(admin);
  return [
    ...tables
      .filter(({ name }) => !NOT_DATA.includes(name))
      .map(({ name }) => ({ name: `data.${name}`, column: 'tenant_id' })),
    { name: 'directory.tenants', column: 'id' },
    { name: 'directory.credentials', column: 'tenant_id' },
  ];
}
