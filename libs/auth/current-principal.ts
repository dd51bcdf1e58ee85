import { Problem } from '#libs/kernel/problem.js';
import { type Actor, currentScope, type Scope } from '#libs/tenancy/scope.js';
import type { Authority } from './authority.js';
import { levelOf } from './levels.js';
import { DEFAULT_MFA, hasFactor, isMeant } from './mfa-policy.js';
import type { Permission } from './permissions.js';
import type { Principal } from './principal.js';
import type { Reach } from './reach.js';

/** How far the clocks of the processes may be apart. */
const CLOCK_SKEW_MS = 60_000;

/** Names tenant and actor of a scope after a credential, without giving it any right. */
export function identify(scope: Scope, principal: Principal): void {
  scope.tenant = principal.tenant;
  scope.actor = actorOf(principal);
}

/** A session acts as its member, a SCIM token as its configuration, which outlives it. */
function actorOf({ kind, credentialId, lineageId, membershipId, name }: Principal): Actor {
  if (kind === 'session') return { type: 'member', id: membershipId, name };
  return kind === 'scim_token' ? { type: 'scim', id: lineageId, name } : { type: 'api_key', id: credentialId, name };
}

/** Makes an accepted credential the principal of a scope. */
export function adopt(scope: Scope, principal: Principal): void {
  identify(scope, principal);
  scope.principal = principal;
  scope.lineageId = principal.lineageId;
}

/** The principal of the running request. @throws Error before a credential was accepted, which is a bug. */
export function currentPrincipal(): Principal {
  const principal = callerOrNull();
  if (!principal) throw new Error('No credential has been accepted yet.');
  return principal;
}

/** As {@link currentPrincipal}; null where the platform itself acts. */
export function callerOrNull(): Principal | null {
  return currentScope().principal as Principal | null; // nothing but adopt() sets it
}

/** Stands for records of whatever type. */
export const ANY_OBJECT = '*';

/** How far a demand for a permission goes. */
export interface Extent {
  /** Type key of the records that it is about, or {@link ANY_OBJECT}: each of them is asked about by itself later on. */
  object?: string | undefined;
  /** Whoever demands it looks at the reach afterwards. */
  withinReach?: boolean | undefined;
  /** Permissions for parts of what the permission is for; whoever demands it keeps to the part. */
  parts?: readonly Permission[] | undefined;
}

/** Why the principal may not use the permission, or, unless `extent` says that this is looked at later, not for the whole tenant. */
function refusalOfPermission(
  { permissions, authority }: Principal,
  permission: string,
  extent: Extent,
): Problem | null {
  const { object, withinReach, parts = [] } = extent;
  if ([permission, ...parts].some((each) => permissions.reach(each) === 'tenant')) return null;
  if (withinReach && permissions.has(permission)) return null;
  if (object !== undefined && permissions.inScope(permission))
    if (permissions.has(permission) || isExcepted(authority, object, levelOf(permission))) return null;
  const detail = permissions.has(permission)
    ? `The permission ${permission} does not reach this.`
    : permissions.inScope(permission)
      ? `The roles of the member do not have the permission ${permission}.`
      : `The credential needs the scope ${permission}.`;
  return new Problem('permission_denied', detail, { extensions: { requiredPermission: permission } });
}

/**
 * As {@link requirePermission}, but a refusal is only given by what the database says now: the permission may have been
 * granted since the credential was remembered. Not inside a transaction.
 */
export function requireForSure(permission: string, extent: Extent = {}): Promise<void> {
  return forSure(() => requirePermission(permission, extent));
}

/** As {@link requireProtected}, with the care of {@link requireForSure}. */
export function requireProtectedForSure(nowMs: number): Promise<void> {
  return forSure(() => requireProtected(nowMs));
}

async function forSure(require: () => void): Promise<void> {
  try {
    require();
  } catch (error) {
    const { refresh } = currentScope();
    if (!refresh) throw error;
    await refresh();
  }
}

/**
 * Requires a permission of the caller, for the whole tenant if `extent` says no more: now and, should the credential turn
 * out to have changed, once more.
 * @throws Problem 403 `permission_denied`.
 */
export function requirePermission(permission: string, extent: Extent = {}): void {
  require({ permission, extent });
}

/**
 * Requires what protected operations take: a key that may do them, or a second factor that a session has seen of late.
 * @throws Problem 403 `step_up_required`.
 */
export function requireProtected(nowMs: number): void {
  require({ protectedAtMs: nowMs });
}

function refusalOfProtected({ allowProtected, multiFactorAt, signIn }: Principal, nowMs: number): Problem | null {
  const { stepUpMaxAgeMinutes } = signIn?.mfa ?? DEFAULT_MFA;
  if (allowProtected) return null;
  if (multiFactorAt !== null && hasFactor(signIn!, signIn!.mfa))
    if (isFresh(nowMs - multiFactorAt, stepUpMaxAgeMinutes)) return null;
  return new Problem(
    'step_up_required',
    `Protected operations take a session with a second factor of the last ${stepUpMaxAgeMinutes} minutes, or a key that allows them.`,
  );
}

/** By the age of a second factor. One that has yet to be seen is none: the clock was wrong then, or is now. */
function isFresh(ageMs: number, maxAgeMinutes: number): boolean {
  return ageMs > -CLOCK_SKEW_MS && ageMs < maxAgeMinutes * 60_000;
}

/** Why a credential is not enough for what is about the person who calls. */
function refusalOfNobody({ membershipId }: Principal): Problem | null {
  if (membershipId !== null) return null;
  return new Problem('permission_denied', 'The operation is about a person, and this credential acts for nobody.');
}

/** Why a session does not have the second factor that its tenant demands. */
function refusalOfFactor({ signIn, authority }: Principal, nowMs: number): Problem | null {
  if (!signIn || !isMeant(signIn.mfa, authority.powers.length > 0)) return null;
  const { effectiveAt } = signIn.mfa;
  if (effectiveAt !== null && nowMs < Date.parse(effectiveAt)) return null;
  if (hasFactor(signIn, signIn.mfa)) return null;
  return new Problem(
    'mfa_required',
    `The tenant takes sign-ins with a second factor (${signIn.mfa.allowedMethods.join(', ')}). Sign in afresh with one: POST /api/auth/step-up.`,
  );
}

/** What a request demands of its credential: a permission, at an instant what protected operations take, the factor that the tenant demands, or a person. */
export type Demand =
  { permission: string; extent: Extent } | { protectedAtMs: number } | { factorAtMs: number } | { person: true };

function require(demanded: Demand): void {
  currentScope().required.push(demanded);
  meet(demanded);
}

function meet(demanded: Demand): void {
  const refusal = refusalOf(currentPrincipal(), demanded);
  if (refusal) throw refusal;
}

/** The problem that a demand means for somebody; null where they meet it. */
export function refusalOf(principal: Principal, demanded: Demand): Problem | null {
  if ('permission' in demanded) return refusalOfPermission(principal, demanded.permission, demanded.extent);
  if ('protectedAtMs' in demanded) return refusalOfProtected(principal, demanded.protectedAtMs);
  return 'person' in demanded ? refusalOfNobody(principal) : refusalOfFactor(principal, demanded.factorAtMs);
}

/** Makes all demands of the running request again. @throws Problem 403. */
export function requireAgain(): void {
  demandsSoFar().forEach(meet);
}

/** The demands of the running request that its credential has met. */
export function metDemands(): Demand[] {
  return demandsSoFar().filter((demanded) => {
    try {
      meet(demanded);
      return true;
    } catch {
      return false; // one of an item that was refused, where others were not
    }
  });
}

/** Requires what an earlier request has met, protected operations by the present instant. @throws Problem 403. */
export function requireMet(demands: readonly Demand[], nowMs: number): Promise<void> {
  return requireAll(demands.map((each) => atInstant(each, nowMs)));
}

/** Makes demands, with the care of {@link requireForSure}. @throws Problem 403. */
export async function requireAll(demands: readonly Demand[]): Promise<void> {
  for (const each of demands) await forSure(() => require(each));
}

/** The permissions that a request has asked its credential for. */
export function* neededBy(scope: Scope): Generator<string> {
  for (const demanded of scope.required as Demand[]) if ('permission' in demanded) yield demanded.permission;
}

function atInstant(demanded: Demand, nowMs: number): Demand {
  if ('permission' in demanded || 'person' in demanded) return demanded;
  return 'protectedAtMs' in demanded ? { protectedAtMs: nowMs } : { factorAtMs: nowMs };
}

function demandsSoFar(): Demand[] {
  return currentScope().required as Demand[]; // nothing but require() adds to them
}

/** How far a permission of the caller reaches; null for one that they do not hold. The platform itself reaches all. */
export function reachOf(permission: string): Reach | null {
  const caller = callerOrNull();
  return caller ? caller.permissions.reach(permission) : 'tenant';
}

/** Whether the caller holds a permission for the whole tenant. */
export function holds(permission: string): boolean {
  return reachOf(permission) === 'tenant';
}

/** Whether a grant gives somebody at least a level for some records of a type, as far as the process remembers. */
function isExcepted({ exceptions }: Authority, object: string, level: number): boolean {
  const now = new Date().toISOString();
  const found = object === ANY_OBJECT ? [...exceptions.values()].flat() : (exceptions.get(object) ?? []);
  return found.some(
    ({ effect, rank, until }) => effect === 'allow' && rank >= level && (until === null || until > now),
  );
}
