import { fieldsOf } from '#libs/http/field.js';
import type { Filter, FilterOperator } from '#libs/resource/lists/list-query.js';
import type { Table } from '#libs/resource/lists/table.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';

export type FieldKind = 'text' | 'id' | 'flag' | 'integer' | 'number' | 'date' | 'instant';

/** A declared field of a record type that reports can use. */
export interface ReportField {
  name: string;
  /** The expression over the row `t` that the list's filter compares, or the quoted column; may contain `:now`. */
  sql: string;
  kind: FieldKind;
  nullable: boolean;
  /** The list's filter by its values; null if there is none. */
  filter: Filter | null;
}

const NUMBERS: ReadonlySet<FieldKind> = new Set(['integer', 'number']);
const ORDERED: ReadonlySet<FieldKind> = new Set([...NUMBERS, 'date', 'instant']);
/** The operators that limit a list to one period of a field. */
const BOUNDS: Partial<Record<FieldKind, readonly FilterOperator[]>> = {
  date: ['gte', 'lte'],
  instant: ['gte', 'lt'],
};
const AMOUNT = /(Minor|Micros)$/;

/** The field with the currency of a record's amounts. */
export const CURRENCY = 'currency';

/** The single-valued fields of a type that are columns, or that the list compares by an expression, by name. */
export function reportFields({ view, list }: ResourceDefinition, table: Table): ReadonlyMap<string, ReportField> {
  const found = new Map<string, ReportField>();
  for (const [name, { kind: declared, nullable = false }] of fieldsOf(view)) {
    const column = table.columnOf(name);
    const kind = kindOf(declared.schema);
    const declaredFilter = list.filters[name];
    const filter = declaredFilter && !declaredFilter.exists && !declaredFilter.plain ? declaredFilter : null;
    const sql = filter?.sql !== undefined ? `(${filter.sql})` : column && `t.${quoted(column.sql)}`;
    if (sql === undefined || !kind) continue;
    found.set(name, { name, sql, kind, nullable: column?.nullable ?? nullable, filter });
  }
  return found;
}

/** Whether the list can be limited to exactly the records of a group. */
export function isGroupable({ filter, nullable, kind }: ReportField, isBucketed: boolean): boolean {
  if (!filter) return false;
  const needed = isBucketed ? BOUNDS[kind] : (['eq'] as const);
  if (!needed?.every((operator) => filter.operators.includes(operator))) return false;
  return !nullable || filter.operators.includes('isNull');
}

export function isNumber({ kind }: ReportField): boolean {
  return NUMBERS.has(kind);
}

export function isOrdered({ kind }: ReportField): boolean {
  return ORDERED.has(kind);
}

/** Whether it is an amount in minor units or millionths of the record's currency. */
export function isAmount({ name, kind }: ReportField): boolean {
  return kind === 'integer' && AMOUNT.test(name);
}

function kindOf({ type, format }: Record<string, unknown>): FieldKind | null {
  if (type === 'integer' || type === 'number') return type;
  if (type === 'boolean') return 'flag';
  if (type !== 'string') return null;
  if (format === 'uuid') return 'id';
  if (format === 'date') return 'date';
  return format === 'date-time' ? 'instant' : 'text';
}

function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
