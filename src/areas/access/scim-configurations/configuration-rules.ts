import { Injectable } from '@nestjs/common';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { comparisonKey } from '#libs/kernel/domain.js';
import { added } from '#libs/members/member-guards.js';
import { type Role, RoleBook } from '#libs/members/role-book.js';
import type { GroupMapping, ScimConfiguration } from './scim-configuration.js';
import type { MappingInput } from './scim-configuration.requests.js';
import { ScimConfigurationsRepository } from './scim-configurations.repository.js';

type Promises = Pick<ScimConfiguration, 'defaultRoleIds' | 'groupRoleMap'>;

/** The mapping as stored. */
export function mappingOf(mapping: readonly MappingInput[]): GroupMapping[] {
  return mapping.map(({ group, roleIds, workspaceIds = [] }) => ({ group, roleIds, workspaceIds }));
}

/** Rules for what a configuration may grant. */
@Injectable()
export class ConfigurationRules {
  constructor(
    private readonly roles: RoleBook,
    private readonly repository: ScimConfigurationsRepository,
  ) {}

  /**
   * Checks that all roles and workspaces exist and that the caller may grant the roles. The owner role is never
   * allowed.
   * @throws Problem 400 `unknown_reference`, 403 `grant_exceeds_rights`, 403 `permission_denied`.
   */
  async requireGrantable(
    transaction: Transaction,
    defaultRoleIds: readonly string[],
    mapping: readonly GroupMapping[],
  ): Promise<void> {
    await this.requireRoles(transaction, defaultRoleIds, mapping);
    await this.requireWorkspaces(transaction, mapping);
  }

  /**
   * Checks that the caller may grant all roles, because the creator of a configuration and the holder of its token can
   * grant them through it.
   * @throws Problem as {@link requireGrantable}.
   */
  async requireRoles(
    transaction: Transaction,
    defaultRoleIds: readonly string[],
    mapping: readonly GroupMapping[],
  ): Promise<void> {
    const given = [
      { ids: defaultRoleIds, pointer: '/defaultRoleIds' },
      ...mapping.map(({ roleIds }, index) => ({ ids: roleIds, pointer: `/groupRoleMap/${index}/roleIds` })),
    ];
    for (const { ids, pointer } of given) {
      if (ids.includes(SYSTEM_ROLE_IDS.owner))
        throw new Problem('permission_denied', 'An identity provider cannot grant the owner role.');
      if (ids.length > 0) await this.roles.requireGrantable(transaction, ids, pointer);
    }
  }

  /** The roles that a configuration newly grants, directly or through a group. */
  async promised(
    transaction: Transaction,
    before: Promises | null,
    { defaultRoleIds, groupRoleMap }: Promises,
  ): Promise<Role[]> {
    const known = new Map(before?.groupRoleMap.map(({ group, roleIds }) => [comparisonKey(group), roleIds]));
    const ids = [
      ...added(before?.defaultRoleIds ?? [], defaultRoleIds),
      ...groupRoleMap.flatMap(({ group, roleIds }) => added(known.get(comparisonKey(group)) ?? [], roleIds)),
    ];
    return this.roles.resolve(transaction, [...new Set(ids)], '');
  }

  private async requireWorkspaces(transaction: Transaction, mapping: readonly GroupMapping[]): Promise<void> {
    const ids = mapping.flatMap(({ workspaceIds }) => workspaceIds);
    if (ids.length === 0) return;
    const unknown = await this.repository.unknownWorkspaces(transaction, ids);
    const violations = mapping.flatMap(({ workspaceIds }, index) =>
      workspaceIds.flatMap((id, place) =>
        unknown.has(id)
          ? [
              {
                pointer: `/groupRoleMap/${index}/workspaceIds/${place}`,
                code: 'unknown_reference',
                detail: 'The workspace does not exist or is archived.',
              },
            ]
          : [],
      ),
    );
    if (violations.length > 0) throw Problem.validation(violations);
  }
}
