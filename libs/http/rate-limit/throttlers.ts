import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerModuleOptions, ThrottlerOptions } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { RateClass } from '#libs/request-counts/request-counts.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import type { Principal } from '#libs/auth/principal.js';
import { routeOf, type RouteOptions } from '../route.js';
import type { NamedLimit } from './limit-answer.js';
import { WINDOW_MS } from './limit-states.js';
import { BUCKET, SCIM_BURST, SCIM_FILL_MS } from './rate-limit.storage.js';

/** The limit of each person for the few routes that show who uses up the limits of the plan. */
export const PERSON = 'person';
/** Requests of a person to these routes in any 60 seconds. */
const PER_PERSON = 60;

export type LimitName = RateClass | typeof PERSON | typeof BUCKET;

/** A limit of one caller. */
export interface CallerLimit extends NamedLimit {
  name: LimitName;
  /** Who is limited. */
  key: string;
}

/** `read` for GET, HEAD and safe operations, `write` for everything else. */
export function rateClassOf(method: string, { safe }: Pick<RouteOptions, 'safe'>): RateClass {
  return safe === true || method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}

/** The limit that applies to the current request. */
export function limitOf(context: ExecutionContext): LimitName {
  const { method } = context.switchToHttp().getRequest<FastifyRequest>();
  return limitNameOf(currentPrincipal(), method, routeOf(context.getHandler())!);
}

/** The limit that applies to a caller. Identity providers have a separate one, and so have people for some routes. */
export function limitNameOf(
  { kind }: Principal,
  method: string,
  route: Pick<RouteOptions, 'safe' | 'byPerson'>,
): LimitName {
  if (kind === 'scim_token') return BUCKET;
  return route.byPerson && kind === 'session' ? PERSON : rateClassOf(method, route);
}

/**
 * What limits whom: a tenant is limited by its plan, separately for reads and writes; a person by their own limit; a SCIM
 * connection by its own bucket.
 */
export function callerLimit({ limits, tenant, membershipId, lineageId }: Principal, name: LimitName): CallerLimit {
  if (name === BUCKET) return { name, limit: SCIM_BURST, spanMs: SCIM_FILL_MS, key: lineageId };
  if (name === PERSON) return { name, limit: PER_PERSON, spanMs: WINDOW_MS, key: membershipId ?? lineageId };
  return { name, limit: limits[name], spanMs: WINDOW_MS, key: tenant.id };
}

const throttler = (name: LimitName): ThrottlerOptions => ({
  name,
  limit: () => callerLimit(currentPrincipal(), name).limit,
  ttl: () => callerLimit(currentPrincipal(), name).spanMs,
  getTracker: () => callerLimit(currentPrincipal(), name).key,
  blockDuration: 0,
  skipIf: (context) => limitOf(context) !== name,
});

export const THROTTLERS: ThrottlerModuleOptions = {
  throttlers: (['read', 'write', PERSON, BUCKET] as const).map(throttler),
  generateKey: (_context, tracker) => tracker, // the limits hold for all routes together
};
