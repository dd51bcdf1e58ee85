import { createHash } from 'node:crypto';

/** One parameterised SQL statement. With a `name`, PostgreSQL keeps its plan per connection. */
export interface Statement {
  name?: string;
  text: string;
  values: unknown[];
  /**
   * Whether it is a list that scans an index for any values. A generic plan then suffices, and it may share a flight
   * with others of its tenant.
   */
  generic?: boolean;
  /**
   * Text of a statement that does the same for several: each of its parameters is the list of what they have there. See
   * {@link merged}.
   */
  many?: string;
  /** Whether it only checks something, so that once is enough in a unit of work that begins with its check. */
  isCheck?: boolean;
  /** Whether it reads about one row by key, so that it may share a flight. */
  isShort?: boolean;
}

const MAX_NAMES = 1_000;
const names = new Map<string, string>();

/**
 * A statement whose text comes from code, never from a request: fixed, or generated from a closed set of column names.
 * It is prepared once per connection. After 1,000 different texts in a process, further ones are sent unnamed, to
 * bound the server's memory for plans.
 */
export function statement(text: string, values: unknown[] = []): Statement {
  let name = names.get(text);
  if (name === undefined && names.size < MAX_NAMES) {
    name = `s${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`;
    names.set(text, name);
  }
  return name === undefined ? { text, values } : { name, text, values };
}
