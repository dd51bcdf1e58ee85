import type pg from 'pg';

export interface TableColumn {
  name: string;
  type: string;
  nullable: boolean;
  /** PostgreSQL generates the value: an identity or a generated column. */
  made: boolean;
}

export interface Reference {
  name: string;
  columns: string[];
  /** Name of the table in the schema data. */
  table: string;
  targets: string[];
}

/** Columns of a unique key. */
export interface UniqueKey {
  columns: string[];
  /** SQL condition of a partial key; null for all rows. */
  condition: string | null;
}

/** A table of the schema data from the catalog. */
export interface TenantTable {
  name: string;
  columns: TableColumn[];
  key: string[];
  /** Excluding those on expressions. */
  uniqueKeys: UniqueKey[];
  references: Reference[];
  /** Whether it is partitioned. */
  partitioned: boolean;
  /** Texts of the CHECK constraints. */
  checks: string[];
}

type Client = Pick<pg.ClientBase, 'query'>;

const TABLES = `
  select c.relname as name, c.relkind = 'p' as partitioned,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
        'nullable', not a.attnotnull, 'made', a.attidentity <> '' or a.attgenerated <> '') order by a.attnum)
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select json_agg(a.attname order by array_position(k.conkey, a.attnum))
      from pg_constraint k join pg_attribute a on a.attrelid = c.oid and a.attnum = any(k.conkey)
      where k.conrelid = c.oid and k.contype = 'p') as key,
    (select json_agg(json_build_object('condition', pg_get_expr(i.indpred, i.indrelid),
        'columns', (select json_agg(a.attname order by n) from unnest(i.indkey[:i.indnkeyatts - 1]) with ordinality as x (num, n)
          join pg_attribute a on a.attrelid = i.indrelid and a.attnum = x.num)))
      from pg_index i where i.indrelid = c.oid and i.indisunique and i.indexprs is null) as "uniqueKeys",
    coalesce((select json_agg(json_build_object('name', k.conname, 'table', target.relname,
        'columns', (select json_agg(a.attname order by n) from unnest(k.conkey) with ordinality as x (num, n)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = x.num),
        'targets', (select json_agg(a.attname order by n) from unnest(k.confkey) with ordinality as x (num, n)
          join pg_attribute a on a.attrelid = k.confrelid and a.attnum = x.num)))
      from pg_constraint k join pg_class target on target.oid = k.confrelid
      where k.conrelid = c.oid and k.contype = 'f'), '[]') as references,
    coalesce((select json_agg(pg_get_expr(k.conbin, k.conrelid))
      from pg_constraint k where k.conrelid = c.oid and k.contype = 'c'), '[]') as checks
  from pg_class c
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'data'::regnamespace
  order by c.relname`;

/** Tables in which requests are counted and logged after the response. */
export const ACCOUNTING_TABLES = [
  'request_days',
  'request_key_days',
  'request_minutes',
  'request_stats_day',
  'request_stats_hour',
  'request_stats_minute',
  'scim_log',
  'sla_reports',
  'slo_counts',
  'slo_progress',
];

/** Tables that follow from the audit log: the entries to seal, and the tree. */
export const SEALING_TABLES = ['audit_checkpoints', 'audit_pending', 'audit_tree'];

/** Every tenant table of the database, by name. */
export async function readTenantTables(client: Client): Promise<TenantTable[]> {
  return (await client.query<TenantTable>(TABLES)).rows;
}
