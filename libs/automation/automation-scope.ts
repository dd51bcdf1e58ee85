import { NO_AUTHORITY } from '#libs/auth/authority.js';
import { adopt } from '#libs/auth/current-principal.js';
import { PermissionSet } from '#libs/auth/permissions.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runInScope, Scope, type TenantFacts } from '#libs/tenancy/scope.js';
import type { TenantFactsReader } from '#libs/worker/tenant-facts.js';

const EVERYTHING = new PermissionSet(['*']);

/**
 * Runs `work` for a tenant with all permissions and no member. `work` receives the scope so that it can set the actor.
 */
export function runAsAutomation<T>(tenant: TenantFacts, work: (scope: Scope) => T): T {
  const scope = new Scope(uuidv7());
  adopt(scope, {
    credentialId: 'automation',
    keyId: 'automation',
    kind: 'api_key',
    lineageId: 'automation',
    name: 'automation',
    membershipId: null,
    makerId: null,
    scopes: ['*'],
    networks: [],
    permissions: EVERYTHING,
    authority: NO_AUTHORITY,
    allowProtected: true,
    signIn: null,
    delegation: null,
    multiFactorAt: null,
    switchedOff: new Set(),
    tenant,
    limits: { read: 0, write: 0 },
    ownLimits: { read: null, write: null },
  });
  nameAutomation(scope, 'automation', null);
  scope.lineageId = null;
  return runInScope(scope, () => work(scope));
}

/** Records in the scope which automation runs and which event caused it. */
export function nameAutomation(
  scope: Scope,
  name: string,
  cause: { id: string; depth: number; correlationId: string | null } | null,
): void {
  scope.actor = { type: 'automation', id: null, name };
  scope.causationId = cause?.id ?? null;
  scope.correlationId = cause?.correlationId ?? scope.requestId;
  scope.depth = cause ? cause.depth + 1 : 0;
}

/** Has the facts about the tenant in a scope read again when a statement finds that they have changed. */
export function refreshedBy(scope: Scope, tenants: TenantFactsReader): void {
  scope.refresh = async () => {
    scope.tenant = (await tenants.findAgain(scope.tenant!.id)) ?? scope.tenant;
  };
}
