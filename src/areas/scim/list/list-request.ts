import type { ResourceSchema } from '#libs/scim-language/resource-schema.js';
import { invalidValue } from '#libs/scim-language/scim-error.js';

/** What a list is asked for, by query or by a search request. */
export interface ListRequest {
  filter?: string;
  /** Other types of resources that are searched, whose attributes the filter may name. */
  besides?: readonly ResourceSchema[];
  sortBy?: string;
  sortOrder?: string;
  /** Place of the first resource, counted from 1. */
  startIndex: number;
  count: number;
  /** Empty for the first page; undefined for pages by index. */
  cursor?: string;
  attributes?: string | readonly string[];
  excludedAttributes?: string | readonly string[];
}

/** Most resources on one page. */
export const MAX_RESULTS = 200;
const DEFAULT_COUNT = 100;
const WHOLE_NUMBER = /^[+-]?\d{1,15}$/;

/**
 * Reads what a list is asked for. Numbers out of range count as the nearest one that is not, as RFC 7644 section 3.4.2.4
 * wants it; parameters with other names are left aside.
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

/** What of a resource is to be shown. @throws ScimError `invalidValue`. */
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

/** Names with commas between them in a query, a list of names in a search request. */
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
