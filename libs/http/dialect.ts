import type { Problem } from '#libs/kernel/problem.js';
import type { ModelClass } from './field.js';

/**
 * The conventions of a group of paths that follow a standard instead of this API. Guards, filter and document use this
 * object instead of the defaults.
 */
export interface Dialect {
  /** Prefix of its paths, in lower case. */
  prefix: string;
  /** Media type of its responses and errors; also accepted for bodies. */
  mediaType: string;
  /** Challenge of a 401. `Source:` RFC 9110 section 11.6.1. */
  challenge: string;
  /** Name of its scheme in the OpenAPI document. */
  securityScheme: string;
  /** Model of an error, for the OpenAPI document. */
  errorModel: ModelClass;
  /** The URL under which the router knows the request. */
  rewrite(url: string): string;
  /** The problem for an error that the dialect throws; null for any other error. */
  problemOf(thrown: unknown): Problem | null;
  /** A problem in the format of the dialect. */
  errorOf(problem: Problem): object;
  /** Headers derived from a response. */
  headersOf(answer: unknown, status: number): Record<string, string>;
}

/** The dialect of a URL; null for the API's own conventions. */
export function dialectOf(dialects: readonly Dialect[], url: string): Dialect | null {
  return dialects.find(({ prefix }) => isBelow(prefix, url)) ?? null;
}

/** Whether the path is the prefix or below it, case-insensitively. */
function isBelow(prefix: string, url: string): boolean {
  if (url.length < prefix.length || url.slice(0, prefix.length).toLowerCase() !== prefix) return false;
  const next = url[prefix.length];
  return next === undefined || next === '/' || next === '?';
}
