import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestAccounts } from '#libs/accounting/request-accounts.js';
import { callerOrNull, currentPrincipal } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { overLimit, tellLimit } from './limit-answer.js';
import { BUCKET } from './rate-limit.storage.js';
import type { LimitName } from './throttlers.js';
import { routeOf } from '../route.js';

/**
 * Third guard: applies the caller's limit. Plan limits apply to any 60 seconds. Usage includes what it counts and
 * refuses. Headers and refusals have the API's format.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  @Inject(Clock) private readonly clock!: Clock;
  @Inject(RequestAccounts) private readonly accounts!: RequestAccounts;

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    // Callers without a credential, or with a session without a tenant, are already limited by address.
    return Promise.resolve(routeOf(context.getHandler())!.permission === 'public' || !callerOrNull());
  }

  protected override async handleRequest(asked: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration, throttler, getTracker, generateKey } = asked;
    const name = throttler.name as LimitName;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const principal = currentPrincipal();
    const key = generateKey(context, await getTracker(request, context), name);
    const record = await this.storageService.increment(key, ttl, limit, blockDuration, name);
    const of = { name, limit, spanMs: ttl };
    tellLimit(reply, of, record, this.clock.nowMs());
    const route = request.routeOptions.url!;
    if (!record.isBlocked) {
      if (name !== BUCKET)
        currentScope().counted = request.counted = this.accounts.admitted(principal, name, route, request.method);
      return true;
    }
    if (name !== BUCKET) this.accounts.refused(principal, name, route, request.method);
    throw overLimit(of, record);
  }
}
