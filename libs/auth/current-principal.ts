import { cut } from '#libs/kernel/cut.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Actor, currentScope, type Scope } from '#libs/tenancy/scope.js';
import type { Authority } from './authority.js';
import type { Feature } from './features.js';
import { levelOf } from './levels.js';
import { DEFAULT_MFA, hasFactor, isMeant } from './mfa-policy.js';
import type { Permission } from './permissions.js';
import type { Principal } from './principal.js';
import type { Reach } from './reach.js';
import { OWNERS_ONLY } from './roles.js';

/** Maximum clock difference between processes. */
const CLOCK_SKEW_MS = 60_000;
/** Maximum length of an actor name. */
const MAX_NAME = 200;

/** Sets tenant and actor of a scope from a credential, without granting it any rights. */
export function identify(scope: Scope, principal: Principal): void {
  scope.tenant = principal.tenant;
  scope.actor = actorOf(principal);
}

/**
 * A session acts as its member, and so does a partner on the member's behalf. A SCIM token acts as its configuration,
 * which outlives the token.
 */
function actorOf({ kind, credentialId, lineageId, membershipId, name, delegation }: Principal): Actor {
  if (delegation) return throughPartner(membershipId!, name, delegation.clientName);
  if (kind === 'session') return { type: 'member', id: membershipId, name };
  return kind === 'scim_token' ? { type: 'scim', id: lineageId, name } : { type: 'api_key', id: credentialId, name };
}

/** The member for whom a partner acts. */
export function throughPartner(membershipId: string, name: string, clientName: string): Actor {
  const through = ` through ${clientName}`;
  return { type: 'member', id: membershipId, name: cut(name, MAX_NAME - [...through].length) + through };
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
  return currentScope().principal as Principal | null; // only adopt() sets it
}

/** Records of any type. */
export const ANY_OBJECT = '*';

/** The extent of a required permission. */
export interface Extent {
  /** Type key of the records concerned, or {@link ANY_OBJECT}. Each record is checked individually later. */
  object?: string | undefined;
  /** The reach is checked by the caller of this function afterwards. */
  withinReach?: boolean | undefined;
  /** Permissions for parts of what the permission covers. The caller of this function restricts itself to that part. */
  parts?: readonly Permission[] | undefined;
}

/**
 * The problem when the principal lacks the permission, or lacks it for the whole tenant unless `extent` defers that
 * check.
 */
function refusalOfPermission(
  { permissions, authority }: Principal,
  permission: string,
  extent: Extent,
): Problem | null {
  const { object, withinReach, parts = [] } = extent;
  if ([permission, ...parts].some((each) => permissions.reach(each) === 'tenant')) return null;
  if (withinReach && [permission, ...parts].some((each) => permissions.has(each))) return null;
  if (object !== undefined && permissions.inScope(permission))
    if (permissions.has(permission) || isExcepted(authority, object, levelOf(permission))) return null;
  const detail = permissions.has(permission)
    ? `The permission ${permission} does not reach this.`
    : lacking(permission, permissions.inScope(permission));
  return new Problem('permission_denied', detail, { extensions: { requiredPermission: permission } });
}

/** What a credential lacks that does not have a permission. */
function lacking(permission: string, isInScope: boolean): string {
  if (OWNERS_ONLY.has(permission))
    return isInScope
      ? `Only owners have the permission ${permission}.`
      : `The credential needs the scope ${permission}, which only owners have.`;
  return isInScope
    ? `The roles of the member do not have the permission ${permission}.`
    : `The credential needs the scope ${permission}.`;
}

/**
 * As {@link requirePermission}, but re-reads the credential before it refuses: the permission may have been granted
 * since the credential was cached. Do not call inside a transaction.
 */
export function requireForSure(permission: string, extent: Extent = {}): Promise<void> {
  return forSure(() => requirePermission(permission, extent));
}

/**
 * Requires that the tenant has not disabled an area; re-reads the credential before it refuses, as
 * {@link requireForSure} does. @throws Problem 403 `feature_disabled`.
 */
export function requireFeatureForSure(feature: Feature): Promise<void> {
  return forSure(() => require({ feature }));
}

/** As {@link requireProtected}, but re-reads the credential before it refuses, as {@link requireForSure} does. */
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
 * Requires a permission of the caller, for the whole tenant unless `extent` says otherwise. It is checked again if the
 * credential turns out to have changed.
 * @throws Problem 403 `permission_denied`.
 */
export function requirePermission(permission: string, extent: Extent = {}): void {
  require({ permission, extent });
}

/**
 * Requires a credential for protected operations: a key that allows them, or a session with a recent second factor.
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
    `Protected operations require a session with a second factor within the last ${stepUpMaxAgeMinutes} minutes, or a key that allows them.`,
  );
}

/** Whether a second factor is recent. One in the future does not count: the clock was wrong then, or is now. */
function isFresh(ageMs: number, maxAgeMinutes: number): boolean {
  return ageMs > -CLOCK_SKEW_MS && ageMs < maxAgeMinutes * 60_000;
}

function refusalOfPartner({ delegation }: Principal): Problem | null {
  if (!delegation) return null;
  return new Problem('permission_denied', 'Partners cannot call this operation, regardless of their scopes.');
}

/** The problem when an operation requires a person and the credential does not act for one. */
function refusalOfNobody({ membershipId }: Principal): Problem | null {
  if (membershipId !== null) return null;
  return new Problem(
    'permission_denied',
    'This operation requires a credential that acts for a person: a session or a personal key.',
  );
}

/** The problem when a session, or the consent behind delegated access, lacks the second factor that the tenant requires. */
function refusalOfFactor({ signIn, authority, delegation }: Principal, nowMs: number): Problem | null {
  if (!signIn || !isMeant(signIn.mfa, authority.powers.length > 0)) return null;
  const { effectiveAt } = signIn.mfa;
  if (effectiveAt !== null && nowMs < Date.parse(effectiveAt)) return null;
  if (hasFactor(signIn, signIn.mfa)) return null;
  const next = delegation
    ? 'The member must sign in with one and grant access again.'
    : 'Sign in again with one: POST /api/auth/step-up.';
  return new Problem(
    'mfa_required',
    `The tenant requires a second factor (${signIn.mfa.allowedMethods.join(', ')}). ${next}`,
  );
}

/**
 * A requirement of a request: that the tenant has not disabled the area, a permission, a protected operation at an
 * instant, the second factor that the tenant requires, that the credential acts for a person, or that no partner acts.
 */
export type Demand =
  | { feature: Feature }
  | { permission: string; extent: Extent }
  | { protectedAtMs: number }
  | { factorAtMs: number }
  | { person: true }
  | { inPerson: true };

function refusalOfFeature({ switchedOff }: Principal, feature: Feature): Problem | null {
  if (!switchedOff.has(feature)) return null;
  return new Problem('feature_disabled', `The tenant has disabled ${feature} in its settings (features.${feature}).`);
}

function require(demanded: Demand): void {
  currentScope().required.push(demanded);
  meet(demanded);
}

function meet(demanded: Demand): void {
  const refusal = refusalOf(currentPrincipal(), demanded);
  if (refusal) throw refusal;
}

/** The problem if a principal does not meet a requirement; null if they do. */
export function refusalOf(principal: Principal, demanded: Demand): Problem | null {
  if ('feature' in demanded) return refusalOfFeature(principal, demanded.feature);
  if ('permission' in demanded) return refusalOfPermission(principal, demanded.permission, demanded.extent);
  if ('protectedAtMs' in demanded) return refusalOfProtected(principal, demanded.protectedAtMs);
  if ('inPerson' in demanded) return refusalOfPartner(principal);
  if ('person' in demanded) return refusalOfNobody(principal);
  return refusalOfFactor(principal, demanded.factorAtMs);
}

/** Checks all requirements of the current request again. @throws Problem 403. */
export function requireAgain(): void {
  demandsSoFar().forEach(meet);
}

/** The requirements of the current request that its credential has met. */
export function metDemands(): Demand[] {
  return demandsSoFar().filter((demanded) => {
    try {
      meet(demanded);
      return true;
    } catch {
      return false; // requirement of a batch item that was rejected while others succeeded
    }
  });
}

/**
 * Requires the conditions that an earlier request has met; the second factor is checked against the current time. @throws
 * Problem 403.
 */
export function requireMet(demands: readonly Demand[], nowMs: number): Promise<void> {
  return requireAll(demands.map((each) => atInstant(each, nowMs)));
}

/**
 * Requires all conditions, re-reading the credential before a refusal as {@link requireForSure} does. @throws Problem 403.
 */
export async function requireAll(demands: readonly Demand[]): Promise<void> {
  for (const each of demands) await forSure(() => require(each));
}

/** The permissions that a request has required of its credential. */
export function* neededBy(scope: Scope): Generator<string> {
  for (const demanded of scope.required as Demand[]) if ('permission' in demanded) yield demanded.permission;
}

function atInstant(demanded: Demand, nowMs: number): Demand {
  if ('protectedAtMs' in demanded) return { protectedAtMs: nowMs };
  return 'factorAtMs' in demanded ? { factorAtMs: nowMs } : demanded;
}

function demandsSoFar(): Demand[] {
  return currentScope().required as Demand[]; // only require() adds to them
}

/**
 * The reach of a permission of the caller; null when they do not hold it. The platform itself reaches the whole tenant.
 */
export function reachOf(permission: string): Reach | null {
  const caller = callerOrNull();
  return caller ? caller.permissions.reach(permission) : 'tenant';
}

/** Whether the caller holds a permission for the whole tenant. */
export function holds(permission: string): boolean {
  return reachOf(permission) === 'tenant';
}

/** Whether a cached grant gives the principal at least a level on some records of a type. */
function isExcepted({ exceptions }: Authority, object: string, level: number): boolean {
  const now = new Date().toISOString();
  const found = object === ANY_OBJECT ? [...exceptions.values()].flat() : (exceptions.get(object) ?? []);
  return found.some(
    ({ effect, rank, until }) => effect === 'allow' && rank >= level && (until === null || until > now),
  );
}
