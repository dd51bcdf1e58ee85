import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

interface CatalogColumn {
  name: string;
  type: string;
  nullable: boolean;
  key: boolean;
  /** PostgreSQL fills it if an insert omits it. */
  filled: boolean;
}

const COLUMNS = `
  select a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
    coalesce(a.attnum = any(k.conkey), false) as key,
    a.atthasdef or a.attidentity <> '' or a.attgenerated <> '' as filled
  from pg_attribute a left join pg_constraint k on k.conrelid = a.attrelid and k.contype = 'p'
  where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped`;

/** TypeORM type names that PostgreSQL prints differently. */
const PRINTED: Record<string, string> = { timestamptz: 'timestamp with time zone', varchar: 'character varying' };

/** Differences between TypeORM's metadata and the migrated schema, as sentences; empty when they agree. */
export async function compareEntities(client: Pick<pg.ClientBase, 'query'>, source: DataSource): Promise<string[]> {
  const faults: string[] = [];
  for (const entity of source.entityMetadatas) {
    const { rows } = await client.query<CatalogColumn>(COLUMNS, [entity.tablePath]);
    if (rows.length === 0) faults.push(`${entity.name}: there is no table ${entity.tablePath}`);
    const declared = new Map(entity.columns.map((column) => [column.databaseName, column]));
    const actual = new Map(rows.map((column) => [column.name, column]));
    for (const [name, column] of declared)
      faults.push(...columnFaults(`${entity.name}.${name}`, column, actual.get(name)));
    for (const { name, nullable, filled } of rows)
      if (!declared.has(name) && !nullable && !filled)
        faults.push(`${entity.name}.${name}: an insert needs the column but the entity has none`);
  }
  return faults;
}

function columnFaults(place: string, column: ColumnMetadata, actual: CatalogColumn | undefined): string[] {
  if (!actual) return [`${place}: there is no such column`];
  const type = PRINTED[String(column.type)] ?? String(column.type);
  const declared = column.isArray ? `${type}[]` : type;
  return [
    ...(declared === actual.type ? [] : [`${place}: declared ${declared}, but is ${actual.type}`]),
    ...(column.isNullable === actual.nullable
      ? []
      : [`${place}: nullable ${column.isNullable}, but is ${actual.nullable}`]),
    ...(column.isPrimary === actual.key ? [] : [`${place}: primary ${column.isPrimary}, but is ${actual.key}`]),
  ];
}
