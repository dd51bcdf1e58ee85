import type { Problem } from '#libs/kernel/problem.js';
import type { ModelClass } from './field.js';

/**
 * How a family of paths speaks where that is fixed by a standard of its own and not by this API: one object, which guards,
 * filter and document ask in place of what holds everywhere else.
 */
export interface Dialect {
  /** What its paths begin with, in lower case. */
  prefix: string;
  /** Media type of its answers and of its errors, which its bodies may have beside the usual ones. */
  mediaType: string;
  /** Challenge of a 401. `Source:` RFC 9110 section 11.6.1. */
  challenge: string;
  /** Name of its scheme in the OpenAPI document. */
  securityScheme: string;
  /** Model of an error, for the document. */
  errorModel: ModelClass;
  /** The URL under which the router knows what is asked for. */
  rewrite(url: string): string;
  /** What was thrown as a problem, where that is not one already and stands for one; null for anything else. */
  problemOf(thrown: unknown): Problem | null;
  /** A problem in the words of the dialect. */
  errorOf(problem: Problem): object;
  /** Headers that follow from what an operation answers. */
  headersOf(answer: unknown, status: number): Record<string, string>;
}

/** The dialect of a URL; null for the API's own way. */
export function dialectOf(dialects: readonly Dialect[], url: string): Dialect | null {
  return dialects.find(({ prefix }) => isBelow(prefix, url)) ?? null;
}

/** Whether the path is the prefix itself or below it, in any case. */
function isBelow(prefix: string, url: string): boolean {
  if (url.length < prefix.length || url.slice(0, prefix.length).toLowerCase() !== prefix) return false;
  const next = url[prefix.length];
  return next === undefined || next === '/' || next === '?';
}
