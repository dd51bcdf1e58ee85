import { Inject, Injectable } from '@nestjs/common';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import type { Problem } from '#libs/kernel/problem.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { AddressLimits } from './address-limits.js';
import { RATE_LIMITER } from './rate-limit/rate-limit.storage.js';
import { tooMany } from './rate-limit/too-many.js';
import type { RateLimiter } from './rate-limit/verdict.js';

/** Requests per token and minute, summed over all addresses. */
const CALLS_PER_TOKEN = 30;

/** Rate limits of operations that require only a token, against guessing tokens and overusing one. */
@Injectable()
export class TokenLimits {
  constructor(
    private readonly addresses: AddressLimits,
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter,
  ) {}

  /**
   * Counts a request.
   * @param hash hash of the token; null if the token is malformed
   * @throws Problem 429.
   */
  async admit(kind: string, hash: Buffer | null): Promise<void> {
    const limited = await this.addresses.count(currentScope().clientIp ?? '', 'unauthenticated');
    if (limited) throw limited;
    if (!hash) return;
    const verdict = await this.limiter.hit(kind, hash.toString('base64url'), CALLS_PER_TOKEN, MINUTE_MS);
    if (!verdict.allowed) throw tooMany(verdict, 'Too many requests with this token.');
  }

  /** Counts an invalid token. @returns `problem`, or 429 after too many failures from the address. */
  async failure(problem: Problem): Promise<Problem> {
    return (await this.addresses.count(currentScope().clientIp ?? '', 'failed')) ?? problem;
  }
}
