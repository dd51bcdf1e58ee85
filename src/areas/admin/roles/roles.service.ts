import { Injectable } from '@nestjs/common';
import { SYSTEM_ROLES, type SystemRole, systemRoleOf } from '#libs/auth/roles.js';
import { Problem } from '#libs/kernel/problem.js';
import { systemRole, systemRoles } from '#libs/members/role-book.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { permissionCatalogue } from './permission-catalogue.js';
import { MAX_ROLES, type RolePage, type RoleQuery, type RoleView } from './role.dto.js';
import { presentRole, presentSystemRole } from './role-records.js';
import { RolesRepository } from './roles.repository.js';

/** The roles that there are, and what they allow. `Source:` domain document "admin", sections 1 and 17. */
@Injectable()
export class RolesService {
  constructor(
    private readonly repository: RolesRepository,
    private readonly registry: ResourceRegistry,
  ) {}

  async list({ include = [], q }: RoleQuery): Promise<RolePage> {
    const counts = await this.repository.memberCounts();
    const system = systemRoles().map((role) =>
      presentSystemRole(role, SYSTEM_ROLES[role.key as SystemRole].intent, counts.get(role.id) ?? 0),
    );
    const own = (await this.repository.list()).map((row) => presentRole(row, counts.get(row.id) ?? 0));
    const wanted = q?.toLowerCase();
    const data = [...system, ...own].filter(({ name }) => wanted === undefined || name.toLowerCase().includes(wanted));
    return {
      data: include.includes('permissions') ? data : data.map((role) => ({ ...role, permissions: null })),
      page: { limit: MAX_ROLES, hasMore: false, nextCursor: null },
      catalogue: include.includes('catalogue') ? permissionCatalogue(this.registry) : null,
    };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<RoleView> {
    const count = async () => (await this.repository.memberCounts(id)).get(id) ?? 0;
    const key = systemRoleOf(id);
    if (key) return presentSystemRole(systemRole(id)!, SYSTEM_ROLES[key].intent, await count());
    const row = await this.repository.find(id);
    if (!row) throw Problem.notFound();
    return presentRole(row, await count());
  }
}
