import type { Attribute } from './attribute.js';
import { comparisonKey } from '#libs/kernel/domain.js';
import { isObject } from '#libs/kernel/is-object.js';
import { readBoolean } from './read-boolean.js';
import { subAttribute } from './resource-schema.js';
import { invalidValue } from './scim-error.js';
import { isStorable } from './tokens.js';

/** Values of a resource or an element, under the names of the schema and without empty values. */
export type AttributeValues = Record<string, unknown>;

/** Maximum number of elements of a multi-valued attribute. */
export const MAX_ELEMENTS = 100;
/** Maximum length of an attribute in characters, by type. */
const MAX_LENGTH = { string: 4_096, dateTime: 64, reference: 8_192, binary: 65_536 };

/**
 * Converts a value of a body or PATCH operation to the type of its attribute: text to boolean, a single element to a
 * list, a plain manager id to an object. Null, "", [] and empty objects become undefined, which means no value.
 * Read-only and unknown sub-attributes are left out.
 * @throws ScimError `invalidValue`.
 */
export function readValue(attribute: Attribute, value: unknown): unknown {
  if (!attribute.multiValued) return readSingle(attribute, Array.isArray(value) ? only(attribute, value) : value);
  const elements = (Array.isArray(value) ? value : [value]).map((each) => readSingle(attribute, each));
  return checkedElements(
    attribute,
    elements.filter((element) => element !== undefined),
  );
}

/** Converts one value of a multi-valued attribute, or the value of a single-valued one. */
export function readSingle(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined;
  if (attribute.type === 'complex') return readComplex(attribute, value);
  if (attribute.type === 'boolean') {
    const flag = readBoolean(value);
    if (flag === null) throw invalidValue(`"${attribute.name}" must be true or false.`);
    return flag;
  }
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') throw invalidValue(`"${attribute.name}" must be a string.`);
  if (text.length > MAX_LENGTH[attribute.type])
    throw invalidValue(`"${attribute.name}" must have at most ${MAX_LENGTH[attribute.type]} characters.`);
  if (!isStorable(text)) throw invalidValue(`"${attribute.name}" contains characters that are not allowed.`);
  return text;
}

/**
 * Merges elements of a multi-valued attribute that have the same value and type; later ones win. Undefined when there
 * are none.
 * @throws ScimError `invalidValue`.
 */
export function checkedElements(attribute: Attribute, elements: readonly unknown[]): unknown[] | undefined {
  const byIdentity = new Map<string, unknown>();
  for (const element of elements) {
    const identity = identityOf(attribute, element);
    const before = byIdentity.get(identity);
    byIdentity.set(identity, isObject(before) && isObject(element) ? { ...before, ...element } : element);
  }
  const different = [...byIdentity.values()];
  if (different.length > MAX_ELEMENTS)
    throw invalidValue(`"${attribute.name}" must have at most ${MAX_ELEMENTS} values.`);
  if (different.filter(isPrimary).length > 1)
    throw invalidValue(`Only one value of "${attribute.name}" can be primary.`);
  return different.length === 0 ? undefined : different;
}

/** Whether an element is the primary one. */
export function isPrimary(element: unknown): boolean {
  return isObject(element) && element['primary'] === true;
}

/** A value in the form used for comparison: see {@link comparisonKey}, unless the schema says that case matters. */
export function comparable(attribute: Attribute, value: unknown): unknown {
  return typeof value === 'string' && !attribute.caseExact ? comparisonKey(value) : value;
}

/** Identifies an element by value and type, which should be unique. `Source:` RFC 7643 section 2.4. */
function identityOf(attribute: Attribute, element: unknown): string {
  if (!isObject(element)) return JSON.stringify(comparable(attribute, element));
  const counts = ({ name }: Attribute) => element['value'] === undefined || name === 'value' || name === 'type';
  const parts = (attribute.subAttributes ?? []).filter(counts);
  return JSON.stringify(parts.map((sub) => comparable(sub, element[sub.name]) ?? null));
}

function readComplex(attribute: Attribute, value: unknown): unknown {
  if (!isObject(value)) {
    const sub = subAttribute(attribute, 'value');
    if (!sub || typeof value === 'object')
      throw invalidValue(`"${attribute.name}" must be an object with its sub-attributes.`);
    const single = readSingle(sub, value);
    return single === undefined ? undefined : { [sub.name]: single };
  }
  const members: AttributeValues = {};
  for (const [name, each] of Object.entries(value)) {
    const sub = subAttribute(attribute, name);
    if (!sub || sub.mutability === 'readOnly') continue;
    const read = readValue(sub, each);
    if (read !== undefined) members[sub.name] = read;
  }
  return Object.keys(members).length === 0 ? undefined : members;
}

function only(attribute: Attribute, values: readonly unknown[]): unknown {
  if (values.length > 1) throw invalidValue(`"${attribute.name}" must have a single value.`);
  return values[0];
}
