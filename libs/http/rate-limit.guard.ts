import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestAccounts } from '#libs/accounting/request-accounts.js';
import type { RateClass } from '#libs/accounting/request-counts.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { WINDOW_MS } from './rate-limit/limit-states.js';
import { routeOf } from './route.js';

/** `read` for GET and HEAD, `write` for everything else. `Source:` interface document, "Limits". */
export function rateClassOf(method: string): RateClass {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}

/**
 * Second guard: the plan's limit of the tenant, for reads and for writes, in any 60 seconds. What it counts and refuses is
 * what usage shows.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  @Inject(Clock) private readonly clock!: Clock;
  @Inject(RequestAccounts) private readonly accounts!: RequestAccounts;

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (routeOf(context.getHandler())!.permission === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { limits, tenant } = currentPrincipal();
    const name = rateClassOf(request.method);
    return this.handleRequest({
      context,
      limit: limits[name],
      ttl: WINDOW_MS,
      blockDuration: 0,
      throttler: { name, limit: limits[name], ttl: WINDOW_MS },
      getTracker: () => Promise.resolve(tenant.id),
      generateKey: (_context, tracker) => tracker,
    });
  }

  protected override async handleRequest({ context, limit, ttl, throttler }: ThrottlerRequest): Promise<boolean> {
    const name = throttler.name as RateClass;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const principal = currentPrincipal();
    const record = await this.storageService.increment(principal.tenant.id, ttl, limit, 0, name);
    const remaining = record.isBlocked ? 0 : Math.max(0, limit - record.totalHits);
    const seconds = record.isBlocked ? Math.max(1, record.timeToBlockExpire) : record.timeToExpire;
    void reply
      .header('ratelimit-policy', `"${name}";q=${limit};w=${ttl / 1000}`)
      .header('ratelimit', `"${name}";r=${remaining};t=${seconds}`)
      .header('x-ratelimit-limit', limit)
      .header('x-ratelimit-remaining', remaining)
      .header('x-ratelimit-reset', Math.ceil(this.clock.nowMs() / 1000) + seconds);
    const route = request.routeOptions.url!;
    if (!record.isBlocked) {
      request.counted = this.accounts.admitted(principal, name, route, request.method);
      return true;
    }
    this.accounts.refused(principal, name, route, request.method);
    throw new Problem('rate_limit_exceeded', `The plan allows ${limit} ${name} requests in any 60 seconds.`, {
      extensions: { 'violated-policies': [name] },
      headers: { 'retry-after': String(seconds) },
    });
  }
}
