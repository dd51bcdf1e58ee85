/** What a limiter says about one call. Times are whole or fractional milliseconds from now, never negative. */
export interface Verdict {
  /** Whether the call may go on. For `peek`: whether a call would be let through now. */
  allowed: boolean;
  /** Calls that would still be let through now; 0 when none. */
  remaining: number;
  /** Until the oldest counted hit leaves the window and gives its place back; 0 when nothing is counted. At most the window. */
  resetMs: number;
  /** Until a refused call can succeed; 0 for an allowed one, the whole window when it never can (limit below its cost). */
  retryAfterMs: number;
}

/**
 * Counts calls against limits that hold in every span of the window's length.
 *
 * A hit at instant `h` counts in the half-open span `[h, h + window)`: at `h + window` its place is free again. Refused
 * calls are not counted. Answers at once when it can, so that the hot path costs no promise.
 */
export interface RateLimiter {
  /**
   * Counts one call if there is room for it.
   *
   * @param scope which limit, e.g. `read`; the same key in two scopes is counted apart
   * @param key who is limited, e.g. a tenant id or an {@link addressKey}
   * @param limit most places taken at a time; may differ from call to call (change of plan)
   * @param windowMs length of the window in milliseconds
   * @param cost places that the call takes, 1 to 1,000
   */
  hit(scope: string, key: string, limit: number, windowMs: number, cost?: number): Verdict | Promise<Verdict>;

  /** What {@link hit} would say, without counting anything. */
  peek(scope: string, key: string, limit: number, windowMs: number, cost?: number): Verdict | Promise<Verdict>;

  /** Gets ready to answer; never fails. */
  start(): Promise<void>;

  /** Lets go of connections. Later calls are still answered, in process. */
  close(): Promise<void>;
}
