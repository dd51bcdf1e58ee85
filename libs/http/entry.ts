import { type Demand, refusalOf } from '#libs/auth/current-principal.js';
import type { Principal } from '#libs/auth/principal.js';
import { featureOf } from '#libs/auth/features.js';
import { takesKind } from '#libs/auth/strategies.js';
import { Problem } from '#libs/kernel/problem.js';
import { isClosedToPartners, type RouteOptions } from './route.js';

/** What a route requires from its caller, checked before the input. */
export function demandsOf(route: RouteOptions, nowMs: number): Demand[] {
  const { id, permission, object, withinReach, parts } = route;
  if (permission === 'public') return [];
  const feature = featureOf(id);
  return [
    // Callers without a second factor must be able to enrol one, sign out and read their session.
    ...(id.startsWith('auth.') ? [] : [{ factorAtMs: nowMs }]),
    ...(isClosedToPartners(route) ? [{ inPerson: true } as const] : []),
    ...(feature === null ? [] : [{ feature }]),
    ...(permission === 'any' ? [] : [{ permission, extent: { object, withinReach, parts } }]),
    ...(route.ofPerson ? [{ person: true } as const] : []),
    ...(route.protected === true ? [{ protectedAtMs: nowMs }] : []),
  ];
}

/** The problem with which a route's guards refuse a caller, regardless of the input; null if they admit the caller. */
export function entryRefusal(principal: Principal, route: RouteOptions, nowMs: number): Problem | null {
  if (route.permission !== 'public' && !takesKind(route.credential, principal.kind))
    return new Problem('unauthenticated', 'The operation takes another kind of credential.');
  for (const each of demandsOf(route, nowMs)) {
    const refusal = refusalOf(principal, each);
    if (refusal) return refusal;
  }
  return null;
}
