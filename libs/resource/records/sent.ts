const SENT = Symbol('sent');

/**
 * Marks the body of a record that a caller creates. A record that the platform creates as a consequence of something
 * else has a body without the mark. A copy of the body keeps the mark.
 */
export function sent<T extends object>(body: T): T {
  return { ...body, [SENT]: true };
}

/** Whether a body was marked with {@link sent}. */
export function isSent(body: object): boolean {
  return SENT in body;
}
