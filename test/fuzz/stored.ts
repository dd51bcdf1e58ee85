import type pg from 'pg';
import { ACCOUNTING_TABLES, readTenantTables, SEALING_TABLES } from '../tenancy/tenant-tables.js';

/** Snapshot of a tenant's rows. Equal texts mean that nothing was written in between, not even identical values. */
export interface Stored {
  /** By table. */
  rows: Record<string, string>;
  audit: number;
  events: number;
}

/**
 * Tables left out: keys are claimed before an operation runs and also store refusals; refusals are counted; references
 * are taken before the unit of work, which may refuse (ADR 10), so gaps are allowed; audit entries are counted themselves.
 */
const NOT_DATA = ['idempotency_keys', 'number_series', ...ACCOUNTING_TABLES, ...SEALING_TABLES];

type Reader = (tenantId: string) => Promise<Stored>;

const readers = new WeakMap<pg.Pool, Promise<Reader>>();

/** Reads {@link Stored} of a tenant. Every version of a row has a distinct location and transaction. */
export function storedReader(admin: pg.Pool): Promise<Reader> {
  let reader = readers.get(admin);
  if (!reader) readers.set(admin, (reader = makeReader(admin)));
  return reader;
}

async function makeReader(admin: pg.Pool): Promise<Reader> {
  const tables = (await readTenantTables(admin)).map(({ name }) => name).filter((name) => !NOT_DATA.includes(name));
  const text = tables
    .map(
      (name) => `select '${name}' as name, t.tableoid || ' ' || t.ctid || ' ' || t.xmin as place
        from data.${name} t where t.tenant_id = $1`,
    )
    .join(' union all ');
  return async (tenantId) => {
    const { rows } = await admin.query<{ name: string; place: string }>({ name: 'stored', text, values: [tenantId] });
    const places = new Map(tables.map((name) => [name, [] as string[]]));
    for (const { name, place } of rows) places.get(name)!.push(place);
    return {
      rows: Object.fromEntries([...places].map(([name, each]) => [name, each.sort().join(', ')])),
      audit: places.get('audit_log')!.length,
      events: places.get('events')!.length,
    };
  };
}
