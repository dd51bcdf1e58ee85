import { Injectable } from '@nestjs/common';
import type { Permission } from '#libs/auth/permissions.js';
import { parseGrants, type RoleGrant } from '#libs/auth/roles.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { MailKind } from './member.js';
import { systemRoles } from './role-book.js';

const OWN_ROLES = `select id, permissions from data.roles where tenant_id = $1`;
// Members without an address have one in `.invalid`, to which nothing can be sent.
const ADDRESSES = `
  select m.email from data.memberships m
  where m.tenant_id = $1 and m.status = 'active' and m.deleted_at is null and m.email_lower not like '%.invalid'
    and $4 <> all(m.muted_mails) and m.id in (select a.membership_id from data.role_assignments a
      where a.tenant_id = $1 and a.role_id = any($2::uuid[]))
  order by m.created_at, m.id limit $3`;

const ADDRESS = `select m.email from data.memberships m
  where m.tenant_id = $1 and m.id = $2 and m.status = 'active' and m.deleted_at is null
    and m.email_lower not like '%.invalid' and $3 <> all(m.muted_mails)`;

/** Finds members of the tenant in scope by permission, to notify those who can act. */
@Injectable()
export class PermissionHolders {
  constructor(private readonly database: Database) {}

  /**
   * The addresses of active members whose roles grant a permission for the whole tenant and who want mails of this
   * kind, longest-standing members first.
   */
  async addresses(permission: Permission, limit: number, kind: MailKind): Promise<string[]> {
    const roleIds = await this.roleIds(permission);
    const query = statement(ADDRESSES, [currentTenant().id, roleIds, limit, kind]);
    return (await this.database.read<{ email: string }>(query)).map(({ email }) => email);
  }

  /** The address of one member as a list; none if they are not active, or do not want mails of the kind. */
  async addressOf(memberId: string, kind: MailKind): Promise<string[]> {
    const query = statement(ADDRESS, [currentTenant().id, memberId, kind]);
    return (await this.database.read<{ email: string }>(query)).map(({ email }) => email);
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
