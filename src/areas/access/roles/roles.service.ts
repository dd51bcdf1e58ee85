import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { fold } from '#libs/kernel/fold.js';
import { Problem } from '#libs/kernel/problem.js';
import { memberCounts } from '#libs/members/member-counts.js';
import { systemRole, systemRoles } from '#libs/members/role-book.js';
import { byName } from '#libs/resource/lists/named-list.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { permissionCatalogue } from './permission-catalogue.js';
import { Role, roles, type RoleView } from './role.js';
import type { RolePage, RoleQuery } from './role.requests.js';
import { showRole, showSystemRole } from './role-views.js';

/** Reads system roles and custom roles. */
@Injectable()
export class RolesService {
  private readonly rows: ResourceRepository<Role>;

  constructor(
    kit: ResourceKit,
    private readonly registry: ResourceRegistry,
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {
    this.rows = kit.rows(Role);
  }

  async list(query: RoleQuery): Promise<RolePage> {
    const { include = [], ...paging } = query;
    const { q } = paging;
    const rows = byName(await this.rows.all(), { sort: ['name'] });
    const ids = [...systemRoles(), ...rows].map(({ id }) => id);
    const counts = await memberCounts(this.database, 'role', ids);
    const system = systemRoles().map((role) => showSystemRole(role, counts.get(role.id) ?? 0));
    const own = rows.map((row) => showRole(row, counts.get(row.id) ?? 0));
    const wanted = q === undefined ? null : fold(q);
    const found = [...system, ...own].filter(({ name }) => wanted === null || fold(name).includes(wanted));
    const { data, page } = pageOfAll(byName(found, query), paging, this.cursors, [roles.type]);
    return {
      data: include.includes('permissions') ? data : data.map((role) => ({ ...role, permissions: null })),
      page,
      catalogue: include.includes('catalogue') ? permissionCatalogue(this.registry) : null,
    };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<RoleView> {
    const known = systemRole(id);
    if (known) return showSystemRole(known, await this.memberCount(id));
    const row = await this.rows.find(id);
    if (!row) throw Problem.notFound();
    return showRole(row, await this.memberCount(id));
  }

  /** Number of members with a role. */
  async memberCount(id: string): Promise<number> {
    return (await memberCounts(this.database, 'role', [id])).get(id) ?? 0;
  }
}
