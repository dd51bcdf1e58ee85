import type { Filter, Operator } from './filter.js';
import { comparable, type AttributeValues } from './values.js';

/** Whether the brackets of a path select an element of a multi-valued attribute. */
export function selects(filter: Filter, element: AttributeValues): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.terms.every((term) => selects(term, element));
    case 'or':
      return filter.terms.some((term) => selects(term, element));
    case 'not':
      return !selects(filter.term, element);
    case 'present':
      return element[filter.path[0].name] !== undefined;
    case 'element':
    case 'constant':
      return false; // brackets cannot be nested and contain only sub-attributes of their attribute
    case 'compare': {
      const [attribute] = filter.path;
      const wanted = comparable(attribute, filter.value) ?? null;
      return holds(filter.operator, comparable(attribute, element[attribute.name]) ?? null, wanted);
    }
  }
}

/** The element that a filter describes, if it consists of `eq` comparisons joined by `and`; null otherwise. */
export function elementOf(filter: Filter): AttributeValues | null {
  if (filter.kind === 'and') {
    const parts = filter.terms.map(elementOf);
    if (parts.includes(null)) return null;
    const element = Object.fromEntries((parts as AttributeValues[]).flatMap((part) => Object.entries(part)));
    return selects(filter, element) ? element : null;
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || filter.value === null) return null;
  return { [filter.path[0].name]: filter.value };
}

function holds(operator: Operator, value: unknown, wanted: unknown): boolean {
  if (operator === 'eq') return value === wanted;
  if (operator === 'ne') return value !== wanted;
  if (typeof value !== 'string' || typeof wanted !== 'string') return false;
  switch (operator) {
    case 'co':
      return value.includes(wanted);
    case 'sw':
      return value.startsWith(wanted);
    case 'ew':
      return value.endsWith(wanted);
    case 'gt':
      return order(value, wanted) > 0;
    case 'ge':
      return order(value, wanted) >= 0;
    case 'lt':
      return order(value, wanted) < 0;
    case 'le':
      return order(value, wanted) <= 0;
  }
}

/** Orders by code point, as PostgreSQL's collation "C" does for UTF-8. */
function order(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
