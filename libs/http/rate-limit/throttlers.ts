import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerModuleOptions, ThrottlerOptions } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { RateClass } from '#libs/accounting/request-counts.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { routeOf, type RouteOptions } from '../route.js';
import { WINDOW_MS } from './limit-states.js';
import { BUCKET, SCIM_BURST, SCIM_FILL_MS } from './rate-limit.storage.js';

export type LimitName = RateClass | typeof BUCKET;

/** `read` for GET, HEAD and safe operations, `write` for everything else. */
export function rateClassOf(method: string, { safe }: Pick<RouteOptions, 'safe'>): RateClass {
  return safe === true || method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}

/** The limit that applies to the current request. Identity providers have a separate one. */
export function limitOf(context: ExecutionContext): LimitName {
  if (currentPrincipal().kind === 'scim_token') return BUCKET;
  return rateClassOf(context.switchToHttp().getRequest<FastifyRequest>().method, routeOf(context.getHandler())!);
}

function throttler(name: LimitName, options: Pick<ThrottlerOptions, 'limit' | 'ttl' | 'getTracker'>): ThrottlerOptions {
  return { ...options, name, blockDuration: 0, skipIf: (context) => limitOf(context) !== name };
}

const plan = (name: RateClass): ThrottlerOptions =>
  throttler(name, {
    limit: () => currentPrincipal().limits[name],
    ttl: WINDOW_MS,
    getTracker: () => currentPrincipal().tenant.id,
  });

/**
 * What limits whom: a tenant is limited by its plan, separately for reads and writes; a SCIM connection by its own
 * bucket.
 */
export const THROTTLERS: ThrottlerModuleOptions = {
  throttlers: [
    plan('read'),
    plan('write'),
    throttler(BUCKET, { limit: SCIM_BURST, ttl: SCIM_FILL_MS, getTracker: () => currentPrincipal().lineageId }),
  ],
  generateKey: (_context, tracker) => tracker, // the limits hold for all routes together
};
