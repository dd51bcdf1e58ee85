import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestAccounts } from '#libs/accounting/request-accounts.js';
import type { RateClass } from '#libs/accounting/request-counts.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import type { Principal } from '#libs/auth/principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { overLimit, tellLimit } from './limit-answer.js';
import { WINDOW_MS } from './limit-states.js';
import { BUCKET, SCIM_BURST, SCIM_FILL_MS } from './rate-limit.storage.js';
import { routeOf } from '../route.js';

/** `read` for GET and HEAD, `write` for everything else. */
export function rateClassOf(method: string): RateClass {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}

type LimitName = RateClass | typeof BUCKET;

/** Who is limited, by which limit. */
function limitOf({ kind, lineageId, tenant, limits }: Principal, method: string) {
  if (kind === 'scim_token') return { key: lineageId, name: BUCKET as LimitName, limit: SCIM_BURST, ttl: SCIM_FILL_MS };
  const name: LimitName = rateClassOf(method);
  return { key: tenant.id, name, limit: limits[name], ttl: WINDOW_MS };
}

/**
 * Third guard: the plan's limit of the tenant, for reads and for writes, in any 60 seconds. What it counts and refuses is
 * what usage shows. Identity providers have a limit of their own, outside the plan's counts.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  @Inject(Clock) private readonly clock!: Clock;
  @Inject(RequestAccounts) private readonly accounts!: RequestAccounts;

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (routeOf(context.getHandler())!.permission === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { key, name, limit, ttl } = limitOf(currentPrincipal(), request.method);
    return this.handleRequest({
      context,
      limit,
      ttl,
      blockDuration: 0,
      throttler: { name, limit, ttl },
      getTracker: () => Promise.resolve(key),
      generateKey: (_context, tracker) => tracker,
    });
  }

  protected override async handleRequest({ context, limit, ttl, ...given }: ThrottlerRequest): Promise<boolean> {
    const name = given.throttler.name as LimitName;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const principal = currentPrincipal();
    const key = await given.getTracker({}, context);
    const record = await this.storageService.increment(key, ttl, limit, 0, name);
    const of = { name, limit, spanMs: ttl };
    tellLimit(reply, of, record, this.clock.nowMs());
    const route = request.routeOptions.url!;
    if (!record.isBlocked) {
      if (name !== BUCKET) request.counted = this.accounts.admitted(principal, name, route, request.method);
      return true;
    }
    if (name !== BUCKET) this.accounts.refused(principal, name, route, request.method);
    throw overLimit(of, record);
  }
}
