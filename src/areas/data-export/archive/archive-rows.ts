import { Injectable } from '@nestjs/common';
import { every, type Guard, guarded } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { JsonSchema } from '#libs/http/field.js';
import type { TableColumn } from '#libs/tables/table.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const PAGE = 2_000;
/** Rows written in one part. */
const PART_ROWS = 10_000;

const COLUMNS = `
  select a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as "isNullable",
    array_position(i.indkey::smallint[], a.attnum) as "keyPosition"
  from pg_attribute a
    join pg_index i on i.indrelid = a.attrelid and i.indisprimary
  where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and a.attname not in ('tenant_id', 'search')
  order by a.attnum`;
/** Columns that say when a row was made. */
const MADE = ['created_at', 'occurred_at', 'at', 'granted_at', 'added_at', 'from_at', 'recorded_at', 'stored_at'];

interface Column {
  name: string;
  /** SQL type, without its precision. */
  type: string;
  isNullable: boolean;
  /** Its place in the primary key; null outside of it. */
  keyPosition: number | null;
}

/** How the rows of a table are written: stays the same for a whole archive. */
export interface RowPlan {
  table: string;
  /** Columns that are written. */
  columns: Column[];
  /** The primary key without the tenant, in its order. */
  key: Column[];
  /** The column that says when a row was made; null without one. */
  made: string | null;
  isDeletable: boolean;
}

const SCHEMAS: Record<string, JsonSchema> = {
  uuid: { type: 'string', format: 'uuid' },
  text: { type: 'string' },
  bytea: { type: 'string', description: 'Hexadecimal digits.' },
  boolean: { type: 'boolean' },
  smallint: { type: 'integer' },
  integer: { type: 'integer' },
  bigint: { type: 'integer' },
  date: { type: 'string', format: 'date' },
  'timestamp with time zone': { type: 'string', format: 'date-time' },
  'double precision': { type: 'number' },
  numeric: { type: 'number' },
  'text[]': { type: 'array', items: { type: 'string' } },
  'uuid[]': { type: 'array', items: { type: 'string', format: 'uuid' } },
};

/** Reads rows of any table as JSON, in pages along its primary key. */
@Injectable()
export class ArchiveRows {
  constructor(private readonly database: Database) {}

  /** @param without columns that are left out */
  async plan(table: string, without: readonly string[]): Promise<RowPlan> {
    const found = await this.database.read<Column>(statement(COLUMNS, [table]));
    const names = new Set(found.map(({ name }) => name));
    const key = found.filter(({ keyPosition }) => keyPosition !== null);
    return {
      table,
      columns: found.filter(({ name }) => !without.includes(name)),
      key: key.sort((a, b) => a.keyPosition! - b.keyPosition!),
      made: MADE.find((name) => names.has(name)) ?? null,
      isDeletable: names.has('deleted_at'),
    };
  }

  /**
   * The rows of a part that satisfy a guard, after a position, as one JSON text each. When the generator has ended,
   * `part` says how many there were, and where the next part begins.
   */
  async *lines(
    plan: RowPlan,
    guard: Guard | null,
    part: { after: string[]; count: number; next: string[] | null },
  ): AsyncGenerator<string[]> {
    for (let after = part.after; ;) {
      const rows = await this.page(plan, guard, after);
      part.count += rows.length;
      if (rows.length > 0) yield rows.map(({ line }) => line);
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.key;
      if (part.count < PART_ROWS) continue;
      part.next = after;
      return;
    }
  }

  private page({ table, columns, key }: RowPlan, guard: Guard | null, after: string[]) {
    const shown = columns.map((column) => `${valueOf(column)} as "${camelOf(column.name)}"`).join(', ');
    const place = key.map(({ name }) => `t."${name}"`).join(', ');
    const texts = key.map(({ name }) => `t."${name}"::text`).join(', ');
    const behind: Guard | null =
      after.length === 0
        ? null
        : (add) => `(${place}) > (${key.map(({ type }, index) => `${add(after[index])}::${type}`).join(', ')})`;
    const text = `select (select row_to_json(r)::text from (select ${shown}) r) as line, array[${texts}]::text[] as key
      from ${table} t where t.tenant_id = $1`;
    const rest = ` order by ${place === '' ? '1' : place} limit ${PAGE}`;
    const query = guarded(text, [currentTenant().id], every(guard, behind), rest);
    return this.database.read<{ line: string; key: string[] }>(query);
  }
}

/** The JSON Schema of a row. */
export function schemaOfRows({ columns }: RowPlan): JsonSchema {
  const of = ({ type, isNullable }: Column): JsonSchema => {
    const schema = SCHEMAS[type] ?? {};
    return isNullable && 'type' in schema ? { ...schema, type: [schema['type'], 'null'] } : schema;
  };
  return {
    type: 'object',
    properties: Object.fromEntries(columns.map((column) => [camelOf(column.name), of(column)])),
    required: columns.map(({ name }) => camelOf(name)),
    additionalProperties: false,
  };
}

/** The columns of the rows in a table file. */
export function tableColumnsOf({ columns }: RowPlan): TableColumn[] {
  return columns.map(({ name, type }) => ({ key: camelOf(name), kind: kindOf(type) }));
}

function kindOf(type: string): TableColumn['kind'] {
  const { type: json, format } = SCHEMAS[type] ?? {};
  if (json === 'integer' || json === 'number') return 'number';
  if (json === 'boolean') return 'flag';
  return format === 'date' ? 'date' : format === 'date-time' ? 'instant' : 'text';
}

function valueOf({ name, type }: Column): string {
  if (type === 'bytea') return `encode(t."${name}", 'hex')`;
  if (type !== 'timestamp with time zone') return `t."${name}"`;
  return `to_char(t."${name}" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

function camelOf(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
