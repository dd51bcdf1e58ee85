import { Injectable } from '@nestjs/common';
import { callerOrNull, currentPrincipal } from '#libs/auth/current-principal.js';
import { isPrivileged, powersOf, privilegesOf } from '#libs/auth/permission-risk.js';
import type { Principal } from '#libs/auth/principal.js';
import { exceeding } from '#libs/auth/rights.js';
import {
  grantsOf,
  grantTextsOf,
  parseGrants,
  type RoleGrant,
  SYSTEM_ROLE_IDS,
  type SystemRole,
  systemRoleOf,
} from '#libs/auth/roles.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type Member, roleIdsOf } from './member.js';

export const OWNER_ROLE = SYSTEM_ROLE_IDS.owner;

/** The fields of a role that matter for granting it. */
export interface Role {
  id: string;
  key: string;
  name: string;
  isSystem: boolean;
  /** As written, with wildcards: `deals:*@workspace`. */
  permissions: readonly string[];
  grants: readonly RoleGrant[];
  /** Whether the role grants permissions to run the tenant, as those of owners and administrators do. */
  isPrivileged: boolean;
}

// Locked so that the roles cannot be changed or removed during the transaction.
const CUSTOM = `select id, key, name, permissions from data.roles
  where tenant_id = $1 and id = any($2::uuid[]) order by id for share`;

/** The roles that can be granted: system roles and the tenant's custom roles. */
@Injectable()
export class RoleBook {
  /** Those of the roles with these ids that exist, in the same order. */
  async known(transaction: Transaction, ids: readonly string[]): Promise<Role[]> {
    const own = ids.filter((id) => systemRoleOf(id) === null);
    const rows =
      own.length === 0
        ? []
        : await transaction.query<Pick<Role, 'id' | 'key' | 'name'> & { permissions: string[] }>(
            statement(CUSTOM, [currentTenant().id, own]),
          );
    const custom = new Map(rows.map((row) => [row.id, customRole(row)]));
    return ids.flatMap((id) => systemRole(id) ?? custom.get(id) ?? []);
  }

  /** The roles with these ids, in the same order. @throws Problem 400 `unknown_reference` at `pointer`/index. */
  async resolve(transaction: Transaction, ids: readonly string[], pointer: string): Promise<Role[]> {
    const found = await this.known(transaction, ids);
    const known = new Set(found.map(({ id }) => id));
    const unknown = ids.flatMap((id, index) => (known.has(id) ? [] : [index]));
    if (unknown.length > 0)
      throw Problem.validation(
        unknown.map((index) => ({
          pointer: `${pointer}/${index}`,
          code: 'unknown_reference',
          detail: 'The role does not exist.',
        })),
      );
    return found;
  }

  /**
   * The roles with these ids, after checking that the caller may grant all of them.
   * @throws Problem 400 as {@link resolve}, 403 `grant_exceeds_rights`, 403 `permission_denied` for the owner role.
   */
  async requireGrantable(transaction: Transaction, ids: readonly string[], pointer: string): Promise<Role[]> {
    const roles = await this.resolve(transaction, ids, pointer);
    const caller = currentPrincipal();
    if (ids.includes(OWNER_ROLE)) requireOwner(caller);
    refuseBeyond(
      caller,
      roles.flatMap(({ grants }) => grants),
    );
    return roles;
  }

  /**
   * Refuses an action against a member who holds privileged permissions that the caller lacks. The platform may act on
   * anybody, and every member on themselves. @throws Problem 403 `permission_denied`.
   */
  async refuseAgainst(transaction: Transaction, member: Pick<Member, 'id' | 'roles'>): Promise<void> {
    if (callerOrNull()?.membershipId === member.id) return;
    await this.refuseAgainstHolders(transaction, roleIdsOf(member));
  }

  /** The same for all holders of these roles. @throws Problem 403 `permission_denied`. */
  async refuseAgainstHolders(transaction: Transaction, roleIds: readonly string[]): Promise<void> {
    const caller = callerOrNull();
    if (!caller) return;
    if (roleIds.includes(OWNER_ROLE)) requireOwner(caller);
    const roles = await this.resolve(transaction, roleIds, '/roleIds');
    const [beyond] = exceeding(caller.permissions, privilegesOf(roles.flatMap(({ grants }) => grants)));
    if (!beyond) return;
    throw new Problem('permission_denied', `Only holders of ${beyond.permission} may act on members who hold it.`, {
      extensions: { requiredPermission: beyond.permission },
    });
  }

  /** Whether a member holds privileged permissions that another one lacks. */
  async outranks(
    transaction: Transaction,
    member: Pick<Member, 'roles'>,
    other: Pick<Member, 'roles'>,
  ): Promise<boolean> {
    const held = await this.powers(transaction, other);
    return (await this.powers(transaction, member)).some((power) => !held.includes(power));
  }

  private async powers(transaction: Transaction, member: Pick<Member, 'roles'>): Promise<string[]> {
    const roleIds = roleIdsOf(member);
    const roles = await this.resolve(transaction, roleIds, '/roleIds');
    const privileges = privilegesOf(roles.flatMap(({ grants }) => grants));
    const held = new Set<string>(privileges.map(({ permission }) => permission));
    return powersOf((permission) => held.has(permission), roleIds.includes(OWNER_ROLE));
  }
}

/** @throws Problem 403 `grant_exceeds_rights` when the caller does not hold all that they grant. */
export function refuseBeyond(caller: Principal, grants: readonly RoleGrant[]): void {
  const beyond = exceeding(caller.permissions, grants);
  if (beyond.length === 0) return;
  const missingPermissions = [...new Set(beyond.map(({ permission }) => permission))];
  throw new Problem('grant_exceeds_rights', 'You cannot grant a permission that you do not hold yourself.', {
    extensions: { missingPermissions },
  });
}

/** Whether the principal acts as an owner. A service key does when it holds all permissions. */
export function isOwner({ membershipId, authority, permissions }: Principal): boolean {
  if (membershipId !== null) return authority.roleIds.includes(OWNER_ROLE);
  return exceeding(permissions, grantsOf('owner')).length === 0;
}

/** @throws Problem 403 `permission_denied` when the caller is not an owner. */
export function requireOwner(caller: Principal): void {
  if (!isOwner(caller)) throw new Problem('permission_denied', 'Only owners can add or change owners.');
}

/** The system role with an id; undefined for any other id. */
export function systemRole(id: string): Role | undefined {
  const key = systemRoleOf(id);
  if (!key) return undefined;
  return {
    id,
    key,
    name: `${key[0]!.toUpperCase()}${key.slice(1)}`,
    isSystem: true,
    permissions: grantTextsOf(key),
    grants: grantsOf(key),
    isPrivileged: isPrivileged(grantsOf(key)),
  };
}

/** All system roles. */
export function systemRoles(): Role[] {
  return (Object.keys(SYSTEM_ROLE_IDS) as SystemRole[]).map((key) => systemRole(SYSTEM_ROLE_IDS[key])!);
}

function customRole({ permissions, ...row }: Pick<Role, 'id' | 'key' | 'name'> & { permissions: string[] }): Role {
  const grants = parseGrants(permissions);
  return { ...row, isSystem: false, permissions, grants, isPrivileged: isPrivileged(grants) };
}
