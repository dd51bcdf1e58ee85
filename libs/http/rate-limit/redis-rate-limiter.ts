import type { Result } from 'ioredis';
import type { Clock } from '#libs/kernel/clock.js';
import { openRedis, type RedisClient } from '#libs/config/redis.js';
import { AnswerWatch, SilentServer } from './answer-watch.js';
import { LocalRateLimiter, type MeterKind } from './local-rate-limiter.js';
import { RefusalMemory } from './refusal-memory.js';
import { SLIDING_WINDOW_LUA, TOKEN_BUCKET_LUA } from './redis-scripts.js';
import { cellMs } from './sliding-window.js';
import type { RateLimiter, Verdict } from './verdict.js';

type Reply = [allowed: number, remaining: number, resetMs: number, retryAfterMs: number];

declare module 'ioredis' {
  interface RedisCommander<Context> {
    slidingWindow(key: string, ...argv: (string | number)[]): Result<Reply, Context>;
    tokenBucket(key: string, ...argv: (string | number)[]): Result<Reply, Context>;
  }
}

/** One call against one limit; `spanMs` is the window, or how long the bucket takes to fill. */
interface Call {
  kind: MeterKind;
  scope: string;
  key: string;
  limit: number;
  spanMs: number;
  cost: number;
}

/** Why a call was decided in process although a shared store is configured. */
export type DegradedReason = 'disconnected' | 'slow' | 'refused';

/** Listener for the limiter's state. */
export interface RateLimitObserver {
  /** Called for each call that was decided only in process; feeds a counter. */
  degraded?(reason: DegradedReason): void;
  /** Called once when sharing stops and once when it works again, with a line for the operator. */
  changed?(shared: boolean, line: string): void;
}

export interface RedisRateLimiterOptions {
  url: string;
  clock: Clock;
  observer?: RateLimitObserver;
  /** Silence after which Redis is not waited for, default {@link SILENCE_MS}. Does not cover the first connection. */
  silenceMs?: number;
  /** Stands in for the Redis server's time, in tests. */
  redisNowMs?: () => number;
}

/**
 * Redis in the same zone responds in well under 1 ms. But if many processes share few cores, a healthy one can take
 * longer than 100 ms (measured: ten busy processes on two cores), and giving up too early would break the shared
 * limits. A hanging Redis delays the current calls by this much, once, and then one call per {@link PROBE_INTERVAL_MS}.
 */
export const SILENCE_MS = 200;

const LONGEST_WAIT_MS = 1_000;

/** While Redis does not respond, one call per this many milliseconds tries it again; the others do not wait for it. */
const PROBE_INTERVAL_MS = 250;
const CONNECT_RETRY_MS = 1_000;

/** After this long without a response the connection is considered dead and reopened. */
const DEAD_AFTER_MS = 5_000;

/**
 * Limits that hold over all processes that use one Redis or Valkey (or cluster): one script per call, on one key.
 *
 * Every process also counts its own part. While Redis does not respond, that count decides: limits then apply per
 * process, and a call never fails because of Redis.
 */
export class RedisRateLimiter implements RateLimiter {
  private readonly local: LocalRateLimiter;
  private readonly refusals = new RefusalMemory();
  private readonly answers: AnswerWatch;
  private client: RedisClient | null = null;
  private started: Promise<void> | null = null;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;
  private silent = false;
  private silentSinceMs = 0;
  private probeAtMs = 0;
  private shared = true;

  constructor(private readonly options: RedisRateLimiterOptions) {
    this.local = new LocalRateLimiter(options.clock);
    const silenceMs = options.silenceMs ?? SILENCE_MS;
    this.answers = new AnswerWatch(silenceMs, Math.max(silenceMs, LONGEST_WAIT_MS));
  }

  hit(scope: string, key: string, limit: number, windowMs: number, cost = 1): Verdict | Promise<Verdict> {
    return this.count({ kind: 'window', scope, key, limit, spanMs: windowMs, cost });
  }

  take(scope: string, key: string, limit: number, fillMs: number, cost = 1): Verdict | Promise<Verdict> {
    return this.count({ kind: 'bucket', scope, key, limit, spanMs: fillMs, cost });
  }

  peek(scope: string, key: string, limit: number, windowMs: number, cost = 1): Verdict | Promise<Verdict> {
    const alone = (): Verdict => this.local.peek(scope, key, limit, windowMs, cost);
    const down = this.reasonNotToAsk(this.local.nowMs());
    if (down) return this.decideAlone(down, alone);
    return this.ask({ kind: 'window', scope, key, limit, spanMs: windowMs, cost }, false).catch((failure: unknown) =>
      this.decideAlone(reasonOf(failure), alone),
    );
  }

  /** Waits for the first attempt to connect, a few seconds at most; a Redis that comes up later is used from then on. */
  start(): Promise<void> {
    return (this.started ??= this.connect());
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    this.client?.disconnect();
    this.client = null;
  }

  private async connect(): Promise<void> {
    try {
      const client = await openRedis(this.options.url, { name: 'rate-limit', failFast: true });
      client.defineCommand('slidingWindow', { numberOfKeys: 1, lua: SLIDING_WINDOW_LUA });
      client.defineCommand('tokenBucket', { numberOfKeys: 1, lua: TOKEN_BUCKET_LUA });
      if (this.closed) client.disconnect();
      else this.client = client;
    } catch (error) {
      this.becomes(false, error instanceof Error ? error.message : String(error));
      if (!this.closed) this.retry = setTimeout(() => void this.connect(), CONNECT_RETRY_MS).unref();
    }
  }

  private count(call: Call): Verdict | Promise<Verdict> {
    const { kind, scope, key, limit, spanMs, cost } = call;
    const meters = this.local.meters(kind, scope);
    const now = this.local.nowMs();
    const own = meters.peek(key, limit, now, spanMs, cost);
    if (!own.allowed) return own;
    const redisKey = redisKeyOf(call);
    const refused = this.refusals.recall(redisKey, limit, cost, now);
    if (refused) return refused;
    const alone = (): Verdict => meters.hit(key, limit, this.local.nowMs(), spanMs, cost);
    const down = this.reasonNotToAsk(now);
    if (down) return this.decideAlone(down, alone);
    return this.ask(call, true).then(
      (verdict) => {
        if (verdict.allowed) meters.record(key, limit, now, spanMs, cost);
        else this.refusals.remember(redisKey, limit, cost, verdict, now);
        return verdict;
      },
      (failure: unknown) => this.decideAlone(reasonOf(failure), alone),
    );
  }

  private reasonNotToAsk(nowMs: number): DegradedReason | null {
    if (this.client?.status !== 'ready') return 'disconnected';
    if (!this.silent) return null;
    if (nowMs < this.probeAtMs) return 'slow';
    this.probeAtMs = nowMs + PROBE_INTERVAL_MS;
    if (nowMs - this.silentSinceMs < DEAD_AFTER_MS) return null;
    this.silentSinceMs = nowMs;
    this.client.disconnect(true);
    return 'disconnected';
  }

  private async ask(call: Call, count: boolean): Promise<Verdict> {
    const { kind, limit, spanMs, cost } = call;
    const now = this.options.redisNowMs?.() ?? '';
    const key = redisKeyOf(call);
    const reply =
      kind === 'bucket'
        ? this.client!.tokenBucket(key, limit, spanMs, cost, now)
        : this.client!.slidingWindow(key, limit, spanMs, cost, cellMs(limit, spanMs), count ? 1 : 0, now);
    reply.then(
      () => this.becomes(true, ''), // also when it comes too late
      () => undefined,
    );
    const [allowed, remaining, resetMs, retryAfterMs] = await this.answers.watch(reply);
    return { allowed: allowed === 1, remaining, resetMs, retryAfterMs };
  }

  private decideAlone(reason: DegradedReason, decide: () => Verdict): Verdict {
    this.becomes(false, reason);
    this.options.observer?.degraded?.(reason);
    return decide();
  }

  private becomes(shared: boolean, why: string): void {
    if (!shared && !this.silent) {
      this.silentSinceMs = this.local.nowMs();
      this.probeAtMs = this.silentSinceMs + PROBE_INTERVAL_MS;
    }
    this.silent = !shared;
    if (this.shared === shared || this.closed) return;
    this.shared = shared;
    this.options.observer?.changed?.(
      shared,
      shared
        ? 'Rate limits are shared again through Redis.'
        : `Redis cannot be used for rate limits (${why}); each process limits on its own until it can.`,
    );
  }
}

/** Braces: in a cluster the key's slot is that of the part between them, and nothing else about the key matters. */
function redisKeyOf({ scope, key }: Call): string {
  return `rate:{${scope}:${key}}`;
}

function reasonOf(failure: unknown): DegradedReason {
  if (failure instanceof SilentServer) return 'slow';
  return failure instanceof Error && failure.name === 'ReplyError' ? 'refused' : 'disconnected';
}
