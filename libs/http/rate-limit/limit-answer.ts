import type { FastifyReply } from 'fastify';
import { Problem } from '#libs/kernel/problem.js';
import { BUCKET, type RateLimitRecord } from './rate-limit.storage.js';

/** A limit as shown in responses. */
export interface NamedLimit {
  name: string;
  limit: number;
  /** Length of the window; for a bucket, the time to fill it. */
  spanMs: number;
  /** Whether it is the limit of a key itself. */
  ofKey?: boolean;
}

/** Result of a hit, as in @nestjs/throttler. */
type Counted = Pick<RateLimitRecord, 'totalHits' | 'isBlocked' | 'timeToExpire' | 'timeToBlockExpire'>;

/** Sets the rate limit headers after a hit. */
export function tellLimit(reply: FastifyReply, of: NamedLimit, record: Counted, nowMs: number): void {
  const { name, limit, spanMs } = of;
  const remaining = limit - record.totalHits + (record.isBlocked ? 1 : 0);
  const seconds = secondsOf(record);
  void reply
    .header('ratelimit-policy', `"${name}";q=${limit};w=${spanMs / 1_000}`)
    .header('ratelimit', `"${name}";r=${remaining};t=${seconds}`)
    .header('x-ratelimit-limit', limit)
    .header('x-ratelimit-remaining', remaining)
    .header('x-ratelimit-reset', Math.ceil(nowMs / 1_000) + seconds);
}

/** The refusal of a request that exceeds a limit. */
export function overLimit(of: NamedLimit, record: Counted): Problem {
  return new Problem('rate_limit_exceeded', detailOf(of), {
    extensions: { 'violated-policies': [of.name] },
    headers: { 'retry-after': String(secondsOf(record)) },
  });
}

function detailOf({ name, limit, spanMs, ofKey }: NamedLimit): string {
  if (name === BUCKET)
    return `A SCIM configuration may make ${limit} requests at once, and ${(limit * 1_000) / spanMs} a second in the long run. Each operation of a bulk request counts as one.`;
  if (name === 'person') return `A person may make ${limit} requests of this kind in any ${spanMs / 1_000} seconds.`;
  return `The ${ofKey ? 'key' : 'plan'} allows ${limit} ${name} requests in any ${spanMs / 1_000} seconds.`;
}

/** Seconds until the next slot is released, or until a refused request can succeed. */
function secondsOf({ isBlocked, timeToBlockExpire, timeToExpire }: Counted): number {
  return isBlocked ? Math.max(1, timeToBlockExpire) : timeToExpire;
}
