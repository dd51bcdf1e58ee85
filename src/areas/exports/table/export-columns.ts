import { fieldsOf, type JsonSchema, type Kind } from '#libs/http/field.js';
import { isObject } from '#libs/kernel/is-object.js';
import { CustomMoney } from '#libs/resource/records/custom-field-values.js';
import type { CustomFieldDefinition } from '#libs/resource/records/custom-fields.js';
import type { Labels } from '#libs/resource/lists/record-page.js';
import { ACTIONS, CUSTOM, includedReferences } from '#libs/resource/lists/list-shape.js';
import { concealedFields } from '#libs/resource/lists/stored-filter.js';
import type { Input } from '#libs/resource/types/decisions.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { idsIn } from '#libs/resource/access/references.js';
import type { ColumnKind, TableColumn, TableValue } from '#libs/tables/table.js';
import { textOf } from '#libs/kernel/csv.js';

type Fields = ReturnType<typeof fieldsOf>;

/** Where the values of a column are in a record: in a field, in a member of it, or in a part of that. */
interface Place {
  field: string;
  member?: string;
  part?: string;
}

/** A column of an export. */
export interface ExportColumn extends TableColumn, Place {
  /** For amounts: the name of the currency beside the value. */
  currency?: string;
  /** What is shown of the record, member or workspace that the ids there point to. */
  label?: 'reference' | 'name';
}

const NONE: Fields = new Map();
const MINOR = /Minor$/;

/** What an export shows of each record. Stays the same while it is written, whatever becomes of custom fields. */
export interface ExportPlan {
  columns: ExportColumn[];
  /** The fields to show, as in the parameter of the list; null for all. */
  fields: string[] | null;
}

/**
 * What a query asks for: the fields of the list, objects in them as a column for each member, an amount also in major
 * units, a column for each custom field, and the names that `include` adds. Without fields that the caller may not see.
 */
export function exportPlan(
  definition: ResourceDefinition,
  query: Input,
  customFields: readonly CustomFieldDefinition[],
): ExportPlan {
  const concealed = concealedFields(definition);
  const asked = query['fields'] as string[] | undefined; // as the query was validated
  const shown = fieldsOf(definition.view);
  const names = asked ?? [...shown.keys()].filter((field) => field !== ACTIONS);
  const fields = [...new Set(['id', ...names])].filter((field) => !concealed.has(field));
  const columns = fields.flatMap((field) => {
    if (field === CUSTOM) return customFields.flatMap(customColumns);
    if (!field.includes('.')) return columnsOf(field, shown.get(field)!.kind, shown);
    return customFields.filter(({ key }) => field === `${CUSTOM}.${key}`).flatMap(customColumns);
  });
  const included = labelColumns(definition, (query['include'] as string[] | undefined) ?? [], customFields, concealed);
  return { columns: withoutDoubles([...columns, ...included]), fields: asked || concealed.size > 0 ? fields : null };
}

/** An amount in major units takes the place of a field of that name, which shows the same number. */
function withoutDoubles(columns: readonly ExportColumn[]): ExportColumn[] {
  const byKey = new Map<string, ExportColumn>();
  for (const column of columns) if (!byKey.has(column.key) || column.kind === 'amount') byKey.set(column.key, column);
  return [...byKey.values()];
}

/** The values of a record for the columns. */
export function valuesOf(columns: readonly ExportColumn[], record: Input, labels: Labels): TableValue[] {
  return columns.map((column) => valueOf(column, record, labels));
}

function columnsOf(field: string, kind: Kind, beside: Fields): ExportColumn[] {
  if (!kind.model || kind.schema['type'] === 'array') return valueColumns({ field }, kind, beside);
  const members = fieldsOf(kind.model);
  return [...members].flatMap(([member, { kind: own }]) => valueColumns({ field, member }, own, members));
}

function customColumns({ key, kind }: CustomFieldDefinition): ExportColumn[] {
  if (kind.model !== CustomMoney) return valueColumns({ field: CUSTOM, member: key }, kind, NONE);
  const place = { field: CUSTOM, member: key };
  const members = fieldsOf(CustomMoney);
  return [...members].flatMap(([part, { kind: own }]) => valueColumns({ ...place, part }, own, members));
}

/** The column of a value and, for an amount, the one in major units. */
function valueColumns(place: Place, { schema }: Kind, beside: Fields): ExportColumn[] {
  const name = place.part ?? place.member ?? place.field;
  const column: ExportColumn = { key: keyOf(place, name), kind: columnKindOf(schema), ...place };
  const major = name.replace(MINOR, '');
  const currency = name.startsWith('base') ? 'baseCurrency' : 'currency';
  if (major === name || column.kind !== 'number' || !beside.has(currency)) return [column];
  return [column, { ...column, key: keyOf(place, major), kind: 'amount', currency }];
}

function keyOf({ field, member, part }: Place, name: string): string {
  const path = part !== undefined ? [field, member] : member !== undefined ? [field] : [];
  return [...path, name].join('.');
}

function labelColumns(
  definition: ResourceDefinition,
  include: readonly string[],
  customFields: readonly CustomFieldDefinition[],
  concealed: ReadonlyMap<string, unknown>,
): ExportColumn[] {
  const references = includedReferences(definition);
  const pair = (key: string, place: Place): ExportColumn[] => [
    { key: `${key}.reference`, kind: 'text', ...place, label: 'reference' },
    { key: `${key}.name`, kind: 'text', ...place, label: 'name' },
  ];
  return include.flatMap((name) => {
    if (name === CUSTOM)
      return customFields
        .filter(({ fieldType }) => fieldType === 'member' || fieldType === 'reference')
        .flatMap(({ key }) => pair(`${CUSTOM}.${key}`, { field: CUSTOM, member: key }));
    const { field } = references.get(name)!; // as the query was validated
    return concealed.has(field) ? [] : pair(name, { field });
  });
}

/** The names that belong to a record. */
export function labelsFor(columns: readonly ExportColumn[], record: Input, labels: Labels): Labels {
  const ids = columns.flatMap((column) => (column.label === undefined ? [] : idsAt(column, record)));
  return Object.fromEntries(ids.map((id) => [id, labels[id] ?? null]));
}

function valueOf(column: ExportColumn, record: Input, labels: Labels): TableValue {
  if (column.label !== undefined) {
    const { label } = column;
    const found = idsAt(column, record).flatMap((id) => labels[id]?.[label] ?? []);
    return found.length > 0 ? textOf(found) : null;
  }
  const [holder, name] = placeOf(column, record);
  const value = memberOf(holder, name);
  if (column.kind === 'amount') {
    const currency = memberOf(holder, column.currency!);
    return typeof value === 'number' && typeof currency === 'string' ? { minor: value, currency } : null;
  }
  return typeof value === 'number' || typeof value === 'boolean' ? value : textOf(value);
}

function idsAt(column: ExportColumn, record: Input): string[] {
  const [holder, name] = placeOf(column, record);
  return isObject(holder) ? idsIn(holder, name) : [];
}

function placeOf({ field, member, part }: Place, record: Input): [holder: unknown, name: string] {
  if (member === undefined) return [record, field];
  const inner = record[field] ?? null;
  return part === undefined ? [inner, member] : [memberOf(inner, member), part];
}

function memberOf(holder: unknown, name: string): unknown {
  return isObject(holder) ? (holder[name] ?? null) : null;
}

function columnKindOf({ type, format }: JsonSchema): ColumnKind {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'flag';
  if (type === 'string' && format === 'date') return 'date';
  return type === 'string' && format === 'date-time' ? 'instant' : 'text';
}
