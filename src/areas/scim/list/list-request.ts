import type { ResourceSchema } from '#libs/scim-language/resource-schema.js';
import { invalidValue } from '#libs/scim-language/scim-error.js';

/** Parameters of a list, from a query or a search request. */
export interface ListRequest {
  filter?: string;
  /** Other resource types in the same search; the filter may reference their attributes. */
  besides?: readonly ResourceSchema[];
  sortBy?: string;
  sortOrder?: string;
  /** Position of the first resource, from 1. */
  startIndex: number;
  count: number;
  /** Empty for the first page; undefined for pagination by index. */
  cursor?: string;
  attributes?: string | readonly string[];
  excludedAttributes?: string | readonly string[];
}

/** Maximum number of resources per page. */
export const MAX_RESULTS = 200;
const DEFAULT_COUNT = 100;
const WHOLE_NUMBER = /^[+-]?\d{1,15}$/;

/**
 * Parses list parameters. Numbers out of range are clamped, as RFC 7644 section 3.4.2.4 requires; unknown parameters
 * are ignored.
 * @throws ScimError `invalidValue`.
 */
export function readListRequest(given: Readonly<Record<string, unknown>>): ListRequest {
  const count = numberOf(given, 'count') ?? DEFAULT_COUNT;
  return {
    startIndex: Math.max(1, numberOf(given, 'startIndex') ?? 1),
    count: Math.min(Math.max(0, count), MAX_RESULTS),
    ...texts(given, ['filter', 'sortBy', 'sortOrder', 'cursor']),
    ...readShown(given),
  };
}

/** The attributes to show. @throws ScimError `invalidValue`. */
export function readShown(given: Readonly<Record<string, unknown>>) {
  return { ...names(given, 'attributes'), ...names(given, 'excludedAttributes') };
}

function texts(given: Readonly<Record<string, unknown>>, wanted: readonly string[]): Record<string, string> {
  const found = wanted.filter((name) => given[name] !== undefined && given[name] !== null);
  return Object.fromEntries(found.map((name) => [name, textOf(given, name)]));
}

function textOf(given: Readonly<Record<string, unknown>>, name: string): string {
  const value = given[name];
  if (typeof value !== 'string') throw invalidValue(`"${name}" has to be one text.`);
  return value;
}

/** Comma-separated names in a query, a list of names in a search request. */
function names(given: Readonly<Record<string, unknown>>, name: string): Record<string, string | readonly string[]> {
  const value = given[name];
  if (value === undefined || value === null) return {};
  if (typeof value === 'string') return { [name]: value };
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return { [name]: value };
  throw invalidValue(`"${name}" has to be names of attributes.`);
}

function numberOf(given: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = given[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' && !(typeof value === 'string' && WHOLE_NUMBER.test(value.trim())))
    throw invalidValue(`"${name}" has to be a whole number.`);
  return Math.trunc(Number(value));
}
