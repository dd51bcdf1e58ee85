import { isObject } from '#libs/kernel/is-object.js';
import type { Attribute } from './attribute.js';
import { elementOf, selects } from './element-filter.js';
import type { Filter } from './filter.js';
import type { PatchPath } from './parse-filter.js';
import { type AttributePath, pathBelow } from './resource-schema.js';
import { noTarget } from './scim-error.js';
import { checkedElements, comparable, isPrimary, type AttributeValues, readSingle, readValue } from './values.js';

export type Write = 'add' | 'replace';

/** Writes a value at a path, in place. `Source:` RFC 7644 sections 3.5.2.1 and 3.5.2.3. */
export function write(container: AttributeValues, { path, filter, sub }: PatchPath, op: Write, value: unknown): void {
  change(container, path, (attribute, current) =>
    filter ? writeSelected(attribute, current, filter, sub, op, value) : combined(op, attribute, current, value),
  );
}

/**
 * Removes the values at a path, in place. `named` lists the values to remove; undefined removes all. `Source:` RFC 7644
 * section 3.5.2.2.
 */
export function remove(container: AttributeValues, { path, filter, sub }: PatchPath, named: unknown): void {
  change(container, path, (attribute, current) => {
    if (filter) return withoutSelected(attribute, current, filter, sub);
    if (named === undefined || !attribute.multiValued) return undefined;
    const unwanted = readValue(attribute, named) as unknown[] | undefined;
    const goes = (element: unknown) => (unwanted ?? []).some((each) => includes(attribute, element, each));
    return kept(
      attribute,
      listOf(current).filter((element) => !goes(element)),
    );
  });
}

/**
 * Replaces the value at the end of a path with the result of `next`. If the path leads through a list, this applies to
 * each element.
 */
function change(
  container: AttributeValues,
  [attribute, ...rest]: AttributePath,
  next: (attribute: Attribute, current: unknown) => unknown,
): void {
  const [following, ...more] = rest;
  const current = container[attribute.name];
  if (!following) return put(container, attribute, next(attribute, current));
  const inner = (each: unknown) => {
    const child = { ...(each as AttributeValues | undefined) };
    change(child, [following, ...more], next);
    return settledMembers(each as AttributeValues | undefined, child);
  };
  if (!attribute.multiValued) return put(container, attribute, inner(current));
  const elements = listOf(current).length > 0 ? listOf(current) : [{}];
  put(container, attribute, kept(attribute, elements.map(inner)));
}

function put(container: AttributeValues, attribute: Attribute, value: unknown): void {
  if (value === undefined) delete container[attribute.name];
  else container[attribute.name] = value;
}

function combined(op: Write, attribute: Attribute, current: unknown, value: unknown): unknown {
  if (attribute.multiValued) {
    const elements = readValue(attribute, value);
    return op === 'add' ? joined(attribute, listOf(current), listOf(elements)) : elements;
  }
  const single = Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value;
  if (attribute.type === 'complex' && isObject(single))
    return merged(op, attribute, current as AttributeValues, single);
  return readValue(attribute, value);
}

/** Sub-attributes that are not named stay. Unknown and read-only ones are ignored. */
function merged(
  op: Write,
  attribute: Attribute,
  current: AttributeValues | undefined,
  value: AttributeValues,
): unknown {
  const result = { ...current };
  for (const [name, each] of Object.entries(value)) {
    const path = pathBelow(attribute, name);
    if (!path || path.some(({ mutability }) => mutability === 'readOnly')) continue;
    write(result, { path, filter: null, sub: null }, op, each);
  }
  return settledMembers(current, result);
}

function writeSelected(
  attribute: Attribute,
  current: unknown,
  filter: Filter,
  sub: Attribute | null,
  op: Write,
  value: unknown,
): unknown {
  const elements = listOf(current) as AttributeValues[];
  const written = (element: AttributeValues) => {
    if (sub) {
      const copy = { ...element };
      put(copy, sub, readValue(sub, value));
      return settledMembers(element, copy);
    }
    const single = readSingle(attribute, Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value);
    if (single === undefined) return undefined;
    return { ...(op === 'add' ? element : elementOf(filter)), ...(single as AttributeValues) };
  };
  if (elements.some((element) => selects(filter, element)))
    return settled(
      attribute,
      elements.map((element) =>
        selects(filter, element) ? { now: written(element), touched: true } : { now: element },
      ),
    );
  if (readValue(sub ?? attribute, value) === undefined) return current; // nothing to clear
  const made = readSingle(attribute, elementOf(filter)) as AttributeValues | undefined;
  if (!made) throw noTarget(`No value of "${attribute.name}" matches the path.`);
  return settled(attribute, [...elements.map((now) => ({ now })), { now: written(made), touched: true }]);
}

function withoutSelected(attribute: Attribute, current: unknown, filter: Filter, sub: Attribute | null): unknown {
  const left = (listOf(current) as AttributeValues[]).map((element) => {
    if (!selects(filter, element)) return element;
    if (!sub) return undefined;
    const copy = { ...element };
    delete copy[sub.name];
    return filled(copy);
  });
  return kept(attribute, left);
}

function joined(attribute: Attribute, before: readonly unknown[], added: readonly unknown[]): unknown {
  return settled(attribute, [...before.map((now) => ({ now })), ...added.map((now) => ({ now, touched: true }))]);
}

/** A value that becomes primary clears `primary` on the previous one. `Source:` RFC 7644 section 3.5.2. */
function settled(attribute: Attribute, elements: readonly { now: unknown; touched?: boolean }[]): unknown {
  const replaced = elements.some(({ now, touched }) => touched && isPrimary(now));
  return kept(
    attribute,
    elements.map(({ now, touched }) =>
      replaced && !touched && isPrimary(now) ? { ...(now as AttributeValues), primary: false } : now,
    ),
  );
}

function kept(attribute: Attribute, elements: readonly unknown[]): unknown {
  const present = elements.filter((element) => element !== undefined);
  return attribute.multiValued ? checkedElements(attribute, present) : present[0];
}

/** Whether an element has all values of `named`. */
function includes(attribute: Attribute, element: unknown, named: unknown): boolean {
  if (!isObject(named) || !isObject(element)) return comparable(attribute, element) === comparable(attribute, named);
  return (attribute.subAttributes ?? []).every(
    (sub) => named[sub.name] === undefined || comparable(sub, element[sub.name]) === comparable(sub, named[sub.name]),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

/** Removes a `$ref` that belonged to the previous `value`; undefined when nothing is left. */
function settledMembers(before: AttributeValues | undefined, after: AttributeValues): AttributeValues | undefined {
  if (before?.['value'] !== after['value'] && before?.['$ref'] === after['$ref']) delete after['$ref'];
  return filled(after);
}

/** The object, or undefined when it is empty. */
function filled(members: AttributeValues): AttributeValues | undefined {
  return Object.keys(members).length === 0 ? undefined : members;
}
