import { Problem } from '#libs/kernel/problem.js';
import { currentScope, type Scope } from '#libs/tenancy/scope.js';
import type { Principal } from './principal.js';

const principals = new WeakMap<Scope, Principal>();

/** Names tenant and actor of a scope after a credential, without giving it any right. */
export function identify(scope: Scope, principal: Principal): void {
  scope.tenant = principal.tenant;
  scope.actor = { type: 'api_key', id: principal.credentialId, name: principal.name };
}

/** Makes an accepted credential the principal of a scope. */
export function adopt(scope: Scope, principal: Principal): void {
  identify(scope, principal);
  principals.set(scope, principal);
  scope.lineageId = principal.lineageId;
}

/** The principal of the running request. @throws Error before a credential was accepted, which is a bug. */
export function currentPrincipal(): Principal {
  const principal = principals.get(currentScope());
  if (!principal) throw new Error('No credential has been accepted yet.');
  return principal;
}

/** As {@link currentPrincipal}; null where the platform itself acts. */
export function callerOrNull(): Principal | null {
  return principals.get(currentScope()) ?? null;
}

/** @throws Problem 403 `permission_denied` when the principal does not hold the permission. */
export function demand(principal: Principal, permission: string): void {
  if (!principal.permissions.has(permission))
    throw new Problem('permission_denied', `The credential needs the scope ${permission}.`, {
      extensions: { requiredPermission: permission },
    });
}

/**
 * As {@link requirePermission}, but a refusal is only given by what the database says now: the permission may have been
 * granted since the credential was remembered. Not inside a transaction.
 */
export async function requireForSure(permission: string): Promise<void> {
  try {
    requirePermission(permission);
  } catch (error) {
    const { refresh } = currentScope();
    if (!refresh) throw error;
    await refresh();
  }
}

/**
 * Requires a permission of the caller, now and, should the credential turn out to have changed, once more.
 * @throws Problem 403 `permission_denied`.
 */
export function requirePermission(permission: string): void {
  currentScope().required.push(permission);
  demand(currentPrincipal(), permission);
}
