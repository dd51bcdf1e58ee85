import { Injectable } from '@nestjs/common';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { Transaction } from '#libs/database/transaction.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { comparisonKey } from '#libs/kernel/domain.js';
import { added } from '#libs/members/member-guards.js';
import { type Role, RoleBook } from '#libs/members/role-book.js';
import type { GroupMapping, ScimConfiguration } from './scim-configuration.js';
import type { MappingInput, ScimAction, ScimCommand } from './scim-configuration.requests.js';
import { ScimConfigurationsRepository } from './scim-configurations.repository.js';

type Status = ScimConfiguration['status'];
type Promises = Pick<ScimConfiguration, 'defaultRoleIds' | 'groupRoleMap'>;

const CONTENT = ['name', 'defaultRoleIds', 'groupRoleMap', 'deprovisionAction', 'allowedDomains'] as const;

/** Body members that each action accepts in addition to the id. */
const TAKEN: Record<ScimAction, readonly (keyof ScimCommand)[]> = {
  create: [...CONTENT, 'tokenExpiresInDays'],
  update: [...CONTENT, 'tokenExpiresInDays'],
  rotate_token: ['overlapHours', 'tokenExpiresInDays'],
  enable: [],
  disable: [],
};

/** Transitions from each status. */
const MOVES: Record<Status, Partial<Record<'enable' | 'disable', Status>>> = {
  active: { disable: 'disabled' },
  disabled: { enable: 'active' },
};

/** Missing and unexpected members of a command. */
export function formViolations(action: ScimAction, input: ScimCommand): Violation[] {
  const required: readonly (keyof ScimCommand)[] = action === 'create' ? ['name'] : ['id'];
  const missing = required.filter((member) => input[member] === undefined);
  const known = new Set<string>(['action', ...(action === 'create' ? [] : ['id']), ...TAKEN[action]]);
  const surplus = Object.keys(input).filter(
    (member) => input[member as keyof ScimCommand] !== undefined && !known.has(member),
  );
  return [
    ...missing.map((member) => ({ pointer: `/${member}`, code: 'required', detail: `Required for ${action}.` })),
    ...surplus.map((member) => ({
      pointer: `/${member}`,
      code: 'not_with_action',
      detail: `Not allowed for ${action}.`,
    })),
    ...repeatedGroups(input.groupRoleMap ?? []),
  ];
}

function repeatedGroups(mapping: readonly MappingInput[]): Violation[] {
  const keys = mapping.map(({ group }) => comparisonKey(group));
  return keys.flatMap((key, index) =>
    keys.indexOf(key) === index
      ? []
      : [{ pointer: `/groupRoleMap/${index}/group`, code: 'not_unique', detail: 'The group is already mapped.' }],
  );
}

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

  /** The status after an action. @throws Problem 409 `invalid_transition`. */
  moved(state: Status, action: 'enable' | 'disable'): Status {
    const to = MOVES[state][action];
    if (!to) throw invalidTransition(action, { state }, Object.keys(MOVES[state]));
    return to;
  }
}
