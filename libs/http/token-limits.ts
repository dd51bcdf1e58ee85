import { Inject, Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { AddressLimits } from './address-limits.js';
import { RATE_LIMITER } from './rate-limit/rate-limit.storage.js';
import type { RateLimiter } from './rate-limit/verdict.js';

/** Calls with one token in a minute, from wherever they come. */
const CALLS_PER_TOKEN = 30;
const MINUTE_MS = 60_000;

/** Stops whoever tries many tokens of open operations, or one often. */
@Injectable()
export class TokenLimits {
  constructor(
    private readonly addresses: AddressLimits,
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter,
  ) {}

  /**
   * Counts a call.
   * @param hash of the token; null for one that is malformed
   * @throws Problem 429.
   */
  async admit(kind: string, hash: Buffer | null): Promise<void> {
    const limited = await this.addresses.count(currentScope().clientIp ?? '', 'unauthenticated');
    if (limited) throw limited;
    if (!hash) return;
    const verdict = await this.limiter.hit(kind, hash.toString('base64url'), CALLS_PER_TOKEN, MINUTE_MS);
    if (verdict.allowed) return;
    throw new Problem('rate_limit_exceeded', 'Too many requests with this token.', {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(verdict.retryAfterMs / 1_000))) },
    });
  }

  /** What to answer to a token that leads nowhere: `problem`, or 429 to who has tried too many. */
  async failure(problem: Problem): Promise<Problem> {
    return (await this.addresses.count(currentScope().clientIp ?? '', 'failed')) ?? problem;
  }
}
