import type { Attribute } from './attribute.js';
import { fold } from '#libs/kernel/fold.js';
import { isObject } from '#libs/kernel/is-object.js';
import { readBoolean } from './read-boolean.js';
import { subAttribute } from './resource-schema.js';
import { invalidValue } from './scim-error.js';
import { isStorable } from './tokens.js';

/** What a resource or an element of it has: names as the schema writes them, and no empty values. */
export type AttributeValues = Record<string, unknown>;

/** Most elements of a multi-valued attribute. */
export const MAX_ELEMENTS = 100;
/** Longest text of an attribute, in characters, by its type. */
const MAX_LENGTH = { string: 4_096, dateTime: 64, reference: 8_192, binary: 65_536 };

/**
 * What a value of a body or of a PATCH operation is for an attribute: texts as booleans where the schema wants one, one
 * element as a list, a plain manager id as an object. Undefined stands for no value: null, "", [], and an object without
 * values. Read-only and unknown sub-attributes are left out.
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

/** One value of a multi-valued attribute, or the value of another one. */
export function readSingle(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined;
  if (attribute.type === 'complex') return readComplex(attribute, value);
  if (attribute.type === 'boolean') {
    const flag = readBoolean(value);
    if (flag === null) throw invalidValue(`"${attribute.name}" has to be true or false.`);
    return flag;
  }
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') throw invalidValue(`"${attribute.name}" has to be a text.`);
  if (text.length > MAX_LENGTH[attribute.type])
    throw invalidValue(`"${attribute.name}" may have at most ${MAX_LENGTH[attribute.type]} characters.`);
  if (!isStorable(text)) throw invalidValue(`"${attribute.name}" has characters that no value can have.`);
  return text;
}

/**
 * Elements of a multi-valued attribute, each value of a type once: what comes later for it is put into what was there.
 * Undefined when there are none.
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
    throw invalidValue(`"${attribute.name}" may have at most ${MAX_ELEMENTS} values.`);
  if (different.filter(isPrimary).length > 1)
    throw invalidValue(`Only one value of "${attribute.name}" can be the primary one.`);
  return different.length === 0 ? undefined : different;
}

/** Whether an element is the primary one. */
export function isPrimary(element: unknown): boolean {
  return isObject(element) && element['primary'] === true;
}

/** A value of an attribute as it is compared: case counts only where the schema says so. */
export function comparable(attribute: Attribute, value: unknown): unknown {
  return typeof value === 'string' && !attribute.caseExact ? fold(value) : value;
}

/** `Source:` RFC 7643 section 2.4: the same value should not be there twice with one type. */
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
      throw invalidValue(`"${attribute.name}" has to be an object with its sub-attributes.`);
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
  if (values.length > 1) throw invalidValue(`"${attribute.name}" has one value.`);
  return values[0];
}
