import { isObject } from '#libs/kernel/is-object.js';
import { amountText } from '#libs/kernel/money.js';
import type { ContextRecord } from '../provider.js';

/** One value of a record. */
export interface Fact {
  /** Its field, with dots between the parts of a path. */
  field: string;
  /** Readable name of the field. */
  label: string;
  /** As text; amounts in units of their currency. */
  value: string;
}

/** Technical members of a record. */
const KEPT = new Set([
  'id',
  'object',
  'version',
  'createdBy',
  'updatedBy',
  'allowedActions',
  'externalRefs',
  'archivedAt',
  'deletedAt',
  'contentHash',
]);
const MAX_FACTS = 300;
const MAX_DEPTH = 4;
const MAX_ITEMS = 20;

/** The facts of a record, field by field, without ids of other records, which are useless to a reader. */
export function factsOf({ fields }: ContextRecord): Fact[] {
  const facts: Fact[] = [];
  collect(fields, '', fields, facts, 0);
  return facts;
}

/** A name for a record. */
export function nameOf({ object, id, fields }: ContextRecord): string {
  const names = [fields['name'], fields['number'], fields['title'], fields['reference']];
  return (names.find((name) => typeof name === 'string' && name !== '') as string | undefined) ?? `${object} ${id}`;
}

/** The text of a value by its path in a record, e.g. `customer.name`; null if there is none. */
export function valueAt(record: ContextRecord, path: string): string | null {
  let value: unknown = record.fields;
  for (const part of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return null;
    value = value[part];
  }
  return textOf(path.split('.').at(-1)!, value, record.fields);
}

/** Readable name of a field: `expectedCloseDate` becomes `Expected close date`. */
export function labelOf(field: string): string {
  const spaced = field
    .replace(/Minor$/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[._]/g, ' ')
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

function collect(
  value: Record<string, unknown>,
  path: string,
  record: Record<string, unknown>,
  facts: Fact[],
  depth: number,
): void {
  for (const [key, each] of Object.entries(value)) {
    if (facts.length >= MAX_FACTS) return;
    if ((depth === 0 && KEPT.has(key)) || /(^id|Ids?)$/.test(key)) continue;
    const field = path === '' ? key : `${path}.${key}`;
    const text = textOf(key, each, record);
    if (text !== null) facts.push({ field, label: labelOf(field), value: text });
    else if (isObject(each) && depth < MAX_DEPTH) collect(each, field, record, facts, depth + 1);
    else if (Array.isArray(each) && depth < MAX_DEPTH)
      each.slice(0, MAX_ITEMS).forEach((item, index) => {
        if (isObject(item)) collect(item, `${field}.${index + 1}`, record, facts, depth + 1);
      });
  }
}

function textOf(key: string, value: unknown, { currency }: Record<string, unknown>): string | null {
  if (typeof value === 'number')
    return key.endsWith('Minor') && typeof currency === 'string' ? amountText(value, currency) : String(value);
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === 'string' || typeof item === 'number')
  )
    return value.slice(0, MAX_ITEMS).join(', ');
  return null;
}
