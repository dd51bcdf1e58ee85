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

/** One hit against one limit. `spanMs` is the window, or the time to fill the bucket. */
interface Call {
  kind: MeterKind;
  scope: string;
  key: string;
  limit: number;
  spanMs: number;
  cost: number;
}

/** Why a hit was decided in process although a shared store is configured. */
export type DegradedReason = 'disconnected' | 'slow' | 'refused';

/** Listener for the limiter's state. */
export interface RateLimitObserver {
  /** Called for each hit that was decided only in process; feeds a counter. */
  degraded?(reason: DegradedReason): void;
  /** Called once when sharing stops and once when it resumes, with a log line for the operator. */
  changed?(shared: boolean, line: string): void;
}

export interface RedisRateLimiterOptions {
  url: string;
  clock: Clock;
  observer?: RateLimitObserver;
  /**
   * Silence after which Redis is no longer awaited; {@link SILENCE_MS} by default. Does not apply to the first
   * connection.
   */
  silenceMs?: number;
  /** Replaces the Redis server's time in tests. */
  redisNowMs?: () => number;
}

/**
 * Redis in the same zone responds in well under 1 ms. But if many processes share few cores, a healthy server can take
 * longer than 100 ms (measured with ten busy processes on two cores), and giving up too early would break the shared
 * limits. A hanging Redis delays the current requests by this time once, and then one request per {@link
 * PROBE_INTERVAL_MS}.
 */
export const SILENCE_MS = 200;

const LONGEST_WAIT_MS = 1_000;

/** While Redis does not respond, one request per interval tries it again. The others do not wait for it. */
const PROBE_INTERVAL_MS = 250;
const CONNECT_RETRY_MS = 1_000;

/** After this time without a response, the connection is considered dead and is reopened. */
const DEAD_AFTER_MS = 5_000;

/**
 * Limits that apply across all processes that share one Redis or Valkey server or cluster: one script per hit, on one
 * key.
 *
 * Every process also counts its own hits. While Redis does not respond, that count decides: limits then apply per
 * process, and no request fails because of Redis.
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

  /**
   * Waits at most a few seconds for the first connection attempt. If Redis becomes available later, it is used from
   * then on.
   */
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

/** Braces: in a cluster, the part between them determines the key's slot. The rest of the key has no meaning. */
function redisKeyOf({ scope, key }: Call): string {
  return `rate:{${scope}:${key}}`;
}

function reasonOf(failure: unknown): DegradedReason {
  if (failure instanceof SilentServer) return 'slow';
  return failure instanceof Error && failure.name === 'ReplyError' ? 'refused' : 'disconnected';
}
