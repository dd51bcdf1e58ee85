/** What a limiter says about one call. Times are whole or fractional milliseconds from now, never negative. */
export interface Verdict {
  /** Whether the call is admitted. For `peek`: whether a call would be admitted now. */
  allowed: boolean;
  /** Calls that would still be admitted now. */
  remaining: number;
  /** Until the next place becomes free; 0 if none is in use. At most the limit's span. */
  resetMs: number;
  /** Until a refused call can succeed; 0 for an allowed one, the whole span when it never can (limit below its cost). */
  retryAfterMs: number;
}

/** One limit of one key, of whichever kind. */
export interface Meter {
  /** Counts a call of `cost` places if there is room for it. */
  hit(limit: number, nowMs: number, spanMs: number, cost: number): Verdict;
  /** What {@link hit} would say, without counting the call. */
  peek(limit: number, nowMs: number, spanMs: number, cost: number): Verdict;
  /** Counts a call that was admitted elsewhere. */
  record(limit: number, nowMs: number, spanMs: number, cost: number): void;
  /** Whether nothing is counted any more, so that the object can be dropped. */
  isIdle(nowMs: number): boolean;
}

/**
 * Counts calls against limits. Refused calls are not counted. Returns synchronously if it can, to save a promise on the
 * hot path.
 */
export interface RateLimiter {
  /**
   * Counts one call if there is room for it, against a limit that holds in every span of the window's length: a hit at
   * instant `h` counts in the half-open span `[h, h + window)`, and at `h + window` its place is free again.
   *
   * @param scope which limit, e.g. `read`; the same key in two scopes is counted apart
   * @param key who is limited, e.g. a tenant id or an {@link addressKey}
   * @param limit most places taken at a time; may differ from call to call (change of plan)
   * @param windowMs length of the window in milliseconds
   * @param cost places that the call takes, 1 to 1,000
   */
  hit(scope: string, key: string, limit: number, windowMs: number, cost?: number): Verdict | Promise<Verdict>;

  /**
   * Takes a call out of a bucket, if it holds as many places as that costs. A bucket holds `limit` calls at most and fills evenly: from empty to
   * full in `fillMs`. So in any span of `t` ms it gives `limit * (1 + t / fillMs)` calls at most, and whoever asks as fast
   * as it fills is never refused. A scope is one of windows or one of buckets, never both.
   */
  take(scope: string, key: string, limit: number, fillMs: number, cost?: number): Verdict | Promise<Verdict>;

  /** What {@link hit} would say, without counting anything. */
  peek(scope: string, key: string, limit: number, windowMs: number, cost?: number): Verdict | Promise<Verdict>;

  /** Prepares the limiter; never fails. */
  start(): Promise<void>;

  /** Closes connections. Later calls are still decided, in process. */
  close(): Promise<void>;
}
