/**
 * Status codes whose cause is the request, not the service: such responses are not valid events. A 429 comes from a
 * limit of the plan or of a budget.
 */
const NOT_VALID: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 423, 429]);

/** A request without a response for this long has timed out; if the caller leaves sooner, it is not a valid event. */
export const TIMED_OUT_MS = 10_000;

/** How a response counts in availability: null if it is not a valid event. */
export function outcomeOf(status: number): 'good' | 'bad' | null {
  if (status >= 500) return 'bad';
  return NOT_VALID.has(status) ? null : 'good';
}
