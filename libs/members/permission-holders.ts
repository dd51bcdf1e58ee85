import { Injectable } from '@nestjs/common';
import type { Permission } from '#libs/auth/permissions.js';
import { parseGrants, type RoleGrant } from '#libs/auth/roles.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { systemRoles } from './role-book.js';

const OWN_ROLES = `select id, permissions from data.roles where tenant_id = $1`;
const HOLDERS = `
  select m.id from data.memberships m
  where m.tenant_id = $1 and m.status = 'active' and m.deleted_at is null
    and m.id in (select a.membership_id from data.role_assignments a
      where a.tenant_id = $1 and a.role_id = any($2::uuid[]))
  order by m.created_at, m.id limit $3`;

/** Finds members of the tenant in scope by permission or role, to notify those who can act. */
@Injectable()
export class PermissionHolders {
  constructor(private readonly database: Database) {}

  /** Active members whose roles grant a permission for the whole tenant, longest-standing members first. */
  async find(permission: Permission, limit: number): Promise<string[]> {
    return this.withRoles(await this.roleIds(permission), limit);
  }

  /** Active members who have one of the roles, longest-standing members first. */
  async withRoles(roleIds: readonly string[], limit: number): Promise<string[]> {
    const query = statement(HOLDERS, [currentTenant().id, roleIds, limit]);
    return (await this.database.read<{ id: string }>(query)).map(({ id }) => id);
  }

  private async roleIds(wanted: Permission): Promise<string[]> {
    const own = await this.database.read<{ id: string; permissions: string[] }>(
      statement(OWN_ROLES, [currentTenant().id]),
    );
    const ownRoles = own.map(({ id, permissions }) => ({ id, grants: parseGrants(permissions) }));
    const gives = ({ permission, reach }: RoleGrant) => permission === wanted && reach === 'tenant';
    return [...systemRoles(), ...ownRoles].filter(({ grants }) => grants.some(gives)).map(({ id }) => id);
  }
}
