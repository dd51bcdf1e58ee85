import { Inject, Injectable } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import type { RateClass } from '#libs/request-counts/request-counts.js';
import type { Principal } from '#libs/auth/principal.js';
import { Clock } from '#libs/kernel/clock.js';
import type { Problem } from '#libs/kernel/problem.js';
import { overLimit, tellLimit } from './limit-answer.js';
import { BUCKET, RATE_LIMITER, type RateLimitRecord, RateLimitStorage } from './rate-limit.storage.js';
import { type CallerLimit, callerLimit, type LimitName } from './throttlers.js';
import type { RateLimiter } from './verdict.js';

/** How a request is recorded in the usage of its tenant. */
export interface Counting {
  rateClass: RateClass;
  route: string;
}

/** Reads a caller again; null if nothing has changed. */
export type Renewal = (principal: Principal) => Promise<Principal | null>;

/** Limits the requests of callers with a credential. Usage includes what is counted and refused here. */
@Injectable()
export class CallerLimits {
  constructor(
    @Inject(ThrottlerStorage) private readonly storage: RateLimitStorage,
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter,
    private readonly accounts: RequestAccounts,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts a request and sets the headers of its limit.
   * @param renew reads the caller again before the limit of a key refuses, because it may have been raised.
   * @returns the refusal; null if the limit allows the request.
   */
  async count(
    principal: Principal,
    name: LimitName,
    { rateClass, route }: Counting,
    { request, reply, renew }: { request: FastifyRequest; reply: FastifyReply; renew?: Renewal },
  ): Promise<Problem | null> {
    let { hit, told } = await this.decide(principal, name);
    const renewed = hit.record.isBlocked && hit.of.ofKey && renew ? await renew(principal) : null;
    if (renewed) ({ hit, told } = await this.decide(renewed, name));
    tellLimit(reply, told.of, told.record, this.clock.nowMs());
    if (hit.record.isBlocked) {
      if (name !== BUCKET) this.accounts.refused(principal, rateClass, route, request.method);
      return overLimit(hit.of, hit.record);
    }
    if (name !== BUCKET)
      request.scope.counted = request.counted = this.accounts.admitted(principal, rateClass, route, request.method);
    return null;
  }

  /** Counts a hit of the limits of a caller. `told` is the one with less left. */
  private async decide(principal: Principal, name: LimitName) {
    const of = callerLimit(principal, name);
    const own = await this.countOwn(principal, of);
    const hit = own?.record.isBlocked ? own : await this.hit(of);
    return { hit, told: own && own.record.remaining <= hit.record.remaining ? own : hit };
  }

  /** The limit of the key itself, if it has one. It counts nothing that the limit of the plan refuses. */
  private async countOwn({ ownLimits, lineageId }: Principal, of: CallerLimit) {
    if (of.name !== 'read' && of.name !== 'write') return null;
    const limit = ownLimits[of.name];
    if (limit === null || !(await this.limiter.peek(of.name, of.key, of.limit, of.spanMs)).allowed) return null;
    return this.hit({ ...of, limit, key: lineageId, ofKey: true });
  }

  private async hit(of: CallerLimit): Promise<{ of: CallerLimit; record: RateLimitRecord }> {
    const { name, key, limit, spanMs, ofKey } = of;
    return { of, record: await this.storage.increment(key, spanMs, limit, 0, ofKey ? `key_${name}` : name) };
  }
}
