import type { AttributePath } from './resource-schema.js';

export const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Operator = (typeof OPERATORS)[number];

/** The value in a comparison. `null` means no value and is allowed only with `eq` and `ne`. */
export type Operand = string | boolean | null;

export interface Comparison {
  kind: 'compare';
  path: AttributePath;
  operator: Operator;
  value: Operand;
}

/** A filter, a value path, or the brackets of a PATCH path. `Source:` RFC 7644 section 3.4.2.2. */
export type Filter =
  | { kind: 'and' | 'or'; terms: readonly Filter[] }
  | { kind: 'not'; term: Filter }
  | { kind: 'present'; path: AttributePath }
  | Comparison
  /** The result of a condition on an attribute that the resource type does not have. */
  | { kind: 'constant'; holds: boolean }
  /** One element of `path` satisfies all of `filter`; the paths in `filter` are relative to `path`. */
  | { kind: 'element'; path: AttributePath; filter: Filter };

/** Whether a comparison holds for a resource without a value. */
export function holdsWithoutValue({ operator, value }: Comparison): boolean {
  return operator === 'ne' ? value !== null : operator === 'eq' && value === null;
}
