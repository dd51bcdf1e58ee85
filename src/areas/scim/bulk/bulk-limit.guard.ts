import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { overLimit, tellLimit } from '#libs/http/rate-limit/limit-answer.js';
import { BUCKET, type RateLimitStorage, SCIM_BURST, SCIM_FILL_MS } from '#libs/http/rate-limit/rate-limit.storage.js';
import { isObject } from '#libs/kernel/is-object.js';
import { Clock } from '#libs/kernel/clock.js';
import { MAX_BULK_OPERATIONS } from '../discovery/discovery.service.js';

/**
 * Counts each operation of a bulk request as a separate request: the rate limit must cover all of them, or none runs. A
 * full bucket covers the largest request, so waiting for the time in the response is sufficient.
 */
@Injectable()
export class BulkLimitGuard implements CanActivate {
  constructor(
    @Inject(ThrottlerStorage) private readonly storage: RateLimitStorage,
    private readonly clock: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const more = operationsOf(http.getRequest<FastifyRequest>().body) - 1; // the request itself has been counted
    if (more < 1 || more >= MAX_BULK_OPERATIONS) return true; // too many are refused for that
    const of = { name: BUCKET, limit: SCIM_BURST, spanMs: SCIM_FILL_MS };
    const { lineageId } = currentPrincipal();
    const record = await this.storage.increment(lineageId, of.spanMs, of.limit, 0, BUCKET, more);
    // The retried request itself is counted again.
    record.timeToBlockExpire = Math.ceil((record.retryAfterMs + of.spanMs / of.limit) / 1_000);
    tellLimit(http.getResponse<FastifyReply>(), of, record, this.clock.nowMs());
    if (record.isBlocked) throw overLimit(of, record);
    return true;
  }
}

function operationsOf(body: unknown): number {
  const operations = isObject(body) ? body['Operations'] : null;
  return Array.isArray(operations) ? operations.length : 0;
}
