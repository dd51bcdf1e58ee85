import { Injectable } from '@nestjs/common';
import { SYSTEM_ROLES, type SystemRole, systemRoleOf } from '#libs/auth/roles.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { fold } from '#libs/kernel/fold.js';
import { Problem } from '#libs/kernel/problem.js';
import { systemRole, systemRoles } from '#libs/members/role-book.js';
import { byName, nameParameters } from '#libs/resource/named-list.js';
import { pageOfAll } from '#libs/resource/page-of-all.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { permissionCatalogue } from './permission-catalogue.js';
import { type RolePage, type RoleQuery, type RoleView } from './role.dto.js';
import { presentRole, presentSystemRole } from './role-records.js';
import { RolesRepository } from './roles.repository.js';

/** The roles that there are, and what they allow. */
@Injectable()
export class RolesService {
  constructor(
    private readonly repository: RolesRepository,
    private readonly registry: ResourceRegistry,
    private readonly cursors: Cursors,
  ) {}

  async list(query: RoleQuery): Promise<RolePage> {
    const { include = [], q, ...paging } = query;
    const rows = await this.repository.list();
    const counts = await this.repository.memberCounts([...systemRoles(), ...rows].map((role) => role.id));
    const system = systemRoles().map((role) =>
      presentSystemRole(role, SYSTEM_ROLES[role.key as SystemRole].intent, counts.get(role.id) ?? 0),
    );
    const own = rows.map((row) => presentRole(row, counts.get(row.id) ?? 0));
    const wanted = q === undefined ? null : fold(q);
    const found = [...system, ...own].filter(({ name }) => wanted === null || fold(name).includes(wanted));
    const purpose = ['roles', wanted, ...nameParameters(query)];
    const { data, page } = pageOfAll(byName(found, query), paging, this.cursors, purpose);
    return {
      data: include.includes('permissions') ? data : data.map((role) => ({ ...role, permissions: null })),
      page,
      catalogue: include.includes('catalogue') ? permissionCatalogue(this.registry) : null,
    };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<RoleView> {
    const count = () => this.repository.memberCount(id);
    const key = systemRoleOf(id);
    if (key) return presentSystemRole(systemRole(id)!, SYSTEM_ROLES[key].intent, await count());
    const row = await this.repository.find(id);
    if (!row) throw Problem.notFound();
    return presentRole(row, await count());
  }
}
