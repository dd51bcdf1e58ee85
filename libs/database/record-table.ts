import type { QueryRunner } from 'typeorm';
import { EMPTY_LAST, emptyLast } from './empty-last.js';
import { tenantTable } from './tenant-table.js';

/** Columns for owner, workspace, tags, external references and custom fields. */
const ENVELOPE = `
  workspace_id uuid,
  owner_id uuid,
  tags jsonb not null default '[]',
  custom_fields jsonb not null default '{}',
  external_refs jsonb not null default '[]'`;

const RECORD = `
  tenant_id uuid not null,
  id uuid not null,
  reference text not null,
  name text not null check (length(name) between 1 and 200),
  ${ENVELOPE},
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by jsonb not null,
  updated_by jsonb not null,
  archived_at timestamptz(3),
  deleted_at timestamptz(3),
  primary key (tenant_id, id),
  unique (tenant_id, reference)`;

/**
 * Creates the table of a record type: the columns that every record has, then `columns` (column and constraint
 * definitions). Adds row-level security, grants for the apps, and triggers for tags, external references and custom
 * fields.
 * @param table schema-qualified, e.g. `data.sales_accounts`.
 * @param type e.g. `sales.account`.
 */
export async function recordTable(runner: QueryRunner, table: string, type: string, columns: string): Promise<void> {
  await runner.query(`create table ${table} (${RECORD}${columns.trim() === '' ? '' : `, ${columns}`})`);
  await tenantTable(runner, table, { grant: 'select, insert, update' });
  await tieEnvelope(runner, table, type);
}

/** Adds the columns of {@link recordTable} to an existing table. */
export async function addEnvelope(runner: QueryRunner, table: string, type: string): Promise<void> {
  await runner.query(
    `alter table ${table} ${ENVELOPE.split(',\n')
      .map((column) => `add column ${column}`)
      .join(', ')}`,
  );
  await tieEnvelope(runner, table, type);
}

/**
 * Ensures that workspace and owner exist. Also stores tags, external references and custom fields as separate rows,
 * because an index on arrays or JSON cannot be used behind row-level security. Records without any of these cost
 * nothing.
 */
async function tieEnvelope(runner: QueryRunner, table: string, type: string): Promise<void> {
  const [, name = ''] = table.split('.');
  await runner.query(`
    alter table ${table}
      add constraint ${name}_workspace_id_fkey foreign key (tenant_id, workspace_id)
        references data.workspaces (tenant_id, id),
      add constraint ${name}_owner_id_fkey foreign key (tenant_id, owner_id)
        references data.memberships (tenant_id, id)`);
  await runner.query(
    `create index ${name}_owner_idx on ${table} (tenant_id, owner_id, created_at desc, id desc) where owner_id is not null`,
  );
  await runner.query(
    `create index ${name}_workspace_idx on ${table} (tenant_id, workspace_id, created_at desc, id desc)
       where workspace_id is not null`,
  );
  const kept = [
    ['tags', '[]'],
    ['external_refs', '[]'],
    ['custom_fields', '{}'],
  ];
  for (const [column, empty] of kept) {
    await runner.query(`
      create trigger keep_new_${column} after insert on ${table} for each row
        when (new.${column} <> '${empty}') execute function data.keep_${column}('${type}')`);
    await runner.query(`
      create trigger keep_${column} after update on ${table} for each row
        when (new.${column} is distinct from old.${column}) execute function data.keep_${column}('${type}')`);
  }
}

/** Columns by which a list can be filtered and sorted. */
export interface ListIndexes {
  /**
   * Sort columns besides `created_at`. Nullable ones are given with their type, which determines how empty values sort
   * last.
   */
  sorts?: readonly (string | { column: string; nullable: 'timestamptz' | 'date' | 'bigint' | 'integer' | 'text' })[];
  /** References and states: many rows with the same value are read in the default order. */
  filters?: readonly string[];
  /** Further columns compared for equality; one index serves them all. */
  rareFilters?: readonly string[];
}

/**
 * The indexes of a list: the default order (newest first), each documented sort in both directions, each documented
 * filter. A sort by a nullable column needs one index per direction, because empty values come last in both.
 */
export async function listIndexes(runner: QueryRunner, table: string, wanted: ListIndexes): Promise<void> {
  const [, name = ''] = table.split('.');
  const add = (suffix: string, keys: string, rest = '') =>
    runner.query(`create index ${name}_${suffix}_idx on ${table} ${keys}${rest}`);
  const live = ' where deleted_at is null and archived_at is null';
  await add('time', '(tenant_id, created_at desc, id desc)', live);
  for (const sort of wanted.sorts ?? [])
    if (typeof sort === 'string') await add(`${sort}_sort`, `(tenant_id, ${sort}, id)`);
    else {
      const { ascending, descending } = EMPTY_LAST[sort.nullable]!;
      await add(`${sort.column}_up`, `(tenant_id, (${emptyLast(sort.column, ascending)}), id)`);
      await add(`${sort.column}_down`, `(tenant_id, (${emptyLast(sort.column, descending)}) desc, id desc)`);
    }
  for (const column of wanted.filters ?? [])
    await add(`${column}_filter`, `(tenant_id, ${column}, created_at desc, id desc)`);
  const rare = wanted.rareFilters ?? [];
  if (rare.length > 0) await add('filters', `using gin (tenant_id, ${rare.join(', ')})`);
}
