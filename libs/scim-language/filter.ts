import type { AttributePath } from './resource-schema.js';

export const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Operator = (typeof OPERATORS)[number];

/** What an attribute is compared with; `null` only by `eq` and `ne`, where it stands for no value. */
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
  /** What a condition on an attribute that resources of the type cannot have comes to. */
  | { kind: 'constant'; holds: boolean }
  /** One element of `path` for which all of `filter` holds; the paths in `filter` begin below `path`. */
  | { kind: 'element'; path: AttributePath; filter: Filter };

/** Whether a comparison is true of a resource without a value. */
export function holdsWithoutValue({ operator, value }: Comparison): boolean {
  return operator === 'ne' ? value !== null : operator === 'eq' && value === null;
}
