import { coveredBy, isScope, permissionsOf } from '#libs/auth/permissions.js';
import type { Rights } from '#libs/auth/reach.js';
import type { Kind } from '#libs/http/field.js';
import { Problem } from '#libs/kernel/problem.js';

/**
 * Resources on which no agent may have grants: agents, permissions, and safeguards. The migration enforces this too.
 */
const CLOSED_RESOURCES: ReadonlySet<string> = new Set([
  'agents',
  'ai-budgets',
  'ai-policy',
  'api-keys',
  'approvals',
  'audit',
  'policies',
  'roles',
  'scim',
  'secrets',
  'settings',
  'webhooks',
]);

const resourceOf = (permission: string): string => permission.slice(0, permission.search(/[.:]/));

/** Whether these grants allow any change. */
export function holdsWrites(grants: readonly string[]): boolean {
  return coveredBy(grants).some((permission) => !permission.endsWith(':read'));
}

/** A permission, or all permissions of one resource (`deals:*`), that an agent may have. */
export function grant(): Kind {
  return {
    schema: { type: 'string', minLength: 3, maxLength: 80 },
    check: (value) => {
      if (typeof value !== 'string') return [{ code: 'invalid_type', detail: 'The value must be a string.' }];
      if (!isScope(value)) return [{ code: 'unknown_permission', detail: 'There is no such permission.' }];
      return permissionsOf(value).some((permission) => CLOSED_RESOURCES.has(resourceOf(permission)))
        ? [{ code: 'grant_not_allowed', detail: `An agent holds no grant on ${[...CLOSED_RESOURCES].join(', ')}.` }]
        : [];
    },
    parse: (value) => value,
  };
}

/**
 * @throws Problem 403 `grant_exceeds_rights` with the permissions that the editor lacks.
 */
export function refuseMoreThan(editor: Rights, grants: readonly string[]): void {
  const missingPermissions = coveredBy(grants).filter((permission) => editor.reach(permission) !== 'tenant');
  if (missingPermissions.length > 0)
    throw new Problem('grant_exceeds_rights', `You would have to hold ${missingPermissions.join(', ')} yourself.`, {
      extensions: { missingPermissions },
    });
}
