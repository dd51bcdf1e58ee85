import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { callerOrNull, currentPrincipal } from '#libs/auth/current-principal.js';
import type { Principal } from '#libs/auth/principal.js';
import { Database } from '#libs/database/database.js';
import { Clock } from '#libs/kernel/clock.js';
import { routeOf } from '../route.js';
import { CallerLimits } from './caller-limits.js';
import { type LimitName, rateClassOf } from './throttlers.js';

/** Least time between two looks at a key whose own limit refuses requests. */
const RENEWAL_MS = 1_000;

/**
 * Third guard: applies the caller's limit. Plan limits apply to any 60 seconds. Headers and refusals have the API's
 * format.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  @Inject(CallerLimits) private readonly limits!: CallerLimits;
  @Inject(Database) private readonly database!: Database;
  @Inject(Clock) private readonly clock!: Clock;
  private readonly askedMs = new LRUCache<string, number>({ max: 10_000 });

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    // Callers without a credential, or with a session without a tenant, are already limited by address.
    return Promise.resolve(routeOf(context.getHandler())!.permission === 'public' || !callerOrNull());
  }

  protected override async handleRequest({ context, throttler }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const principal = currentPrincipal();
    const counting = {
      rateClass: rateClassOf(request.method, routeOf(context.getHandler())!),
      route: request.routeOptions.url!,
    };
    const at = { request, reply: http.getResponse<FastifyReply>(), renew: (known: Principal) => this.renewed(known) };
    const refusal = await this.limits.count(principal, throttler.name as LimitName, counting, at);
    if (refusal) throw refusal;
    return true;
  }

  /** The caller if it has changed since it was cached; asks at most once a second. */
  private async renewed(known: Principal): Promise<Principal | null> {
    const now = this.clock.nowMs();
    if (now - (this.askedMs.get(known.lineageId) ?? 0) < RENEWAL_MS) return null;
    this.askedMs.set(known.lineageId, now);
    await this.database.confirm();
    const current = currentPrincipal();
    return current === known ? null : current;
  }
}
