/** A limiter's decision about one hit. Times are whole or fractional milliseconds from now, never negative. */
export interface Verdict {
  /** Whether the hit is admitted. For `peek`: whether one would be admitted now. */
  allowed: boolean;
  /** Hits that would still be admitted now. */
  remaining: number;
  /** Time until the next slot is released; 0 if none is in use. At most the limit's span. */
  resetMs: number;
  /**
   * Time until a refused hit can succeed; 0 for an allowed one, the whole span if it never can (limit below its cost).
   */
  retryAfterMs: number;
}

/** One limit of one key, a window or a bucket. */
export interface Meter {
  /** Counts a hit of `cost` slots if the limit allows it. */
  hit(limit: number, nowMs: number, spanMs: number, cost: number): Verdict;
  /** What {@link hit} would return, without counting. */
  peek(limit: number, nowMs: number, spanMs: number, cost: number): Verdict;
  /** Counts a hit that was admitted elsewhere. */
  record(limit: number, nowMs: number, spanMs: number, cost: number): void;
  /** Whether nothing is counted any more, so that the object can be dropped. */
  isIdle(nowMs: number): boolean;
}

/**
 * Counts hits against limits. Refused hits are not counted. Returns synchronously where possible, to save a promise on
 * the hot path.
 */
export interface RateLimiter {
  /**
   * Counts one hit if the limit allows it. The limit applies to every span of the window's length: a hit at time `h`
   * counts in the half-open span `[h, h + window)`, and at `h + window` its slot is released.
   *
   * @param scope the limit, e.g. `read`; the same key is counted separately in each scope
   * @param key who is limited, e.g. a tenant id or an {@link addressKey}
   * @param limit maximum slots in use; may differ from hit to hit (change of plan)
   * @param windowMs length of the window in milliseconds
   * @param cost slots that the hit uses, 1 to 1,000
   */
  hit(scope: string, key: string, limit: number, windowMs: number, cost?: number): Verdict | Promise<Verdict>;

  /**
   * Takes `cost` tokens from a bucket if it has enough. A bucket has at most `limit` tokens and fills evenly, from
   * empty to full in `fillMs`. In any span of `t` ms it therefore admits at most `limit * (1 + t / fillMs)` hits, and
   * a caller at the fill rate is never refused. A scope contains either windows or buckets, never both.
   */
  take(scope: string, key: string, limit: number, fillMs: number, cost?: number): Verdict | Promise<Verdict>;

  /** What {@link hit} would return, without counting. */
  peek(scope: string, key: string, limit: number, windowMs: number, cost?: number): Verdict | Promise<Verdict>;

  /** Prepares the limiter; never fails. */
  start(): Promise<void>;

  /** Closes connections. Later hits are still decided, in process. */
  close(): Promise<void>;
}
