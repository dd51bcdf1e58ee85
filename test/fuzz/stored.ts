import type pg from 'pg';
import { ACCOUNTING_TABLES, readTenantTables } from '../tenancy/tenant-tables.js';

/** What a tenant has stored: equal texts, nothing was written in between, not even the same values once more. */
export interface Stored {
  /** By table. */
  rows: Record<string, string>;
  audit: number;
  events: number;
}

/**
 * Keys are claimed before an operation runs, and decided refusals are kept under them. Refusals are counted. References are
 * taken before the unit of work, which may refuse (ADR 10): a gap in them is no data.
 */
const NOT_DATA = ['idempotency_keys', 'number_series', ...ACCOUNTING_TABLES];

/** Reads {@link Stored} of a tenant: every version of a row has a place and a transaction of its own. */
export async function storedReader(admin: pg.Pool): Promise<(tenantId: string) => Promise<Stored>> {
  const tables = (await readTenantTables(admin)).map(({ name }) => name).filter((name) => !NOT_DATA.includes(name));
  const text = tables
    .map(
      (name) => `select '${name}' as name, count(*)::int as count,
        coalesce(md5(string_agg(t.ctid::text || t.xmin::text, ' ' order by t.tableoid, t.ctid)), '') as digest
        from data.${name} t where t.tenant_id = $1`,
    )
    .join(' union all ');
  return async (tenantId) => {
    const { rows } = await admin.query<{ name: string; count: number; digest: string }>({
      name: 'stored',
      text,
      values: [tenantId],
    });
    const count = (table: string): number => rows.find(({ name }) => name === table)!.count;
    return {
      rows: Object.fromEntries(rows.map((row) => [row.name, `${row.count} ${row.digest}`])),
      audit: count('audit_log'),
      events: count('events'),
    };
  };
}
