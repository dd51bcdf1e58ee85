import { Injectable } from '@nestjs/common';
import type { Permission } from '#libs/auth/permissions.js';
import { includesAll } from '#libs/auth/rights.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { MANUAL, type Member, roleIdsOf } from '#libs/members/member.js';
import { RoleBook } from '#libs/members/role-book.js';
import { Members } from '#libs/members/members.js';
import { ApiKeyRevocations } from '../api-keys/api-key-revocations.service.js';
import { GrantChanges } from '../resource-permissions/grant-changes.js';
import { ScimRemovalService } from '../scim-configurations/scim-removal.service.js';
import type { AccessReviewItem, SubjectType } from './access-review-item.js';
import type { EffectType } from './access-review.requests.js';

/** The permission that each removal requires. */
export const REMOVAL_PERMISSIONS: Record<SubjectType, Permission> = {
  membership: 'members:manage',
  api_key: 'api-keys:manage-all',
  resource_permission: 'resource-permissions:manage',
  scim_configuration: 'scim:manage',
};

/** Removes reviewed access through the services that own it, with their rules, audit entries and events. */
@Injectable()
export class ReviewRemovals {
  constructor(
    private readonly members: Members,
    private readonly keys: ApiKeyRevocations,
    private readonly grants: GrantChanges,
    private readonly scim: ScimRemovalService,
    private readonly roles: RoleBook,
  ) {}

  /**
   * Applies a revocation or reduction. Access that has already ended needs no change.
   * @throws Problem of the service that refuses it, such as 409 `last_owner` or `managed_by_scim`.
   */
  apply(transaction: Transaction, item: AccessReviewItem): Promise<EffectType> {
    switch (item.subjectType) {
      case 'membership':
        return this.member(transaction, item);
      case 'api_key':
        return this.key(transaction, item);
      case 'resource_permission':
        return this.grant(transaction, item);
      case 'scim_configuration':
        return this.configuration(item);
    }
  }

  private async member(transaction: Transaction, item: AccessReviewItem) {
    const { subjectId, decision, reason, newRoleIds } = item;
    const [member] = await this.members.lockAll(transaction, [subjectId]);
    if (!member || member.status === 'deactivated') return 'already_gone';
    if (decision === 'revoke') {
      if (member.status === 'suspended') return 'already_gone';
      await this.members.change(transaction, member, { status: 'suspended', reason }, 'caller');
      return 'membership_suspended';
    }
    const held = roleIdsOf(member);
    if (held.every((id) => newRoleIds!.includes(id))) return 'already_gone';
    const had = new Set(item.snapshot.roles.map(({ id }) => id));
    const fresh = newRoleIds!.filter((id) => !had.has(id) && !held.includes(id));
    if (fresh.length > 0) await this.refuseWider(transaction, held, fresh);
    const roles = { source: MANUAL, roleIds: [...manualRoles(member, newRoleIds!), ...fresh] };
    await this.members.change(transaction, member, { roles, reason }, 'caller');
    return 'roles_removed';
  }

  /** @throws Problem 409 `approval_changed` if roles contain what the member does not hold any more. */
  private async refuseWider(
    transaction: Transaction,
    held: readonly string[],
    fresh: readonly string[],
  ): Promise<void> {
    const grantsOf = async (ids: readonly string[]) =>
      (await this.roles.resolve(transaction, ids, '/newRoleIds')).flatMap(({ grants }) => grants);
    if (includesAll(await grantsOf(held), await grantsOf(fresh))) return;
    throw new Problem('approval_changed', 'The new roles have permissions that the member does not hold any more.');
  }

  private async key(transaction: Transaction, { subjectId }: AccessReviewItem) {
    return (await this.keys.revoke(transaction, subjectId)) ? 'api_key_revoked' : 'already_gone';
  }

  private async grant(transaction: Transaction, { subjectId }: AccessReviewItem) {
    const grant = await this.grants.objects.rows.lock(transaction, subjectId);
    if (!grant) return 'already_gone';
    await this.grants.revoke(transaction, grant);
    return 'grant_deleted';
  }

  private async configuration({ subjectId }: AccessReviewItem) {
    try {
      await this.scim.remove(subjectId);
      return 'scim_configuration_removed';
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return 'already_gone';
      throw error;
    }
  }
}

/** The manual roles that remain. @throws Problem 409 `managed_by_scim` if a provider grants one that must go. */
function manualRoles({ roles }: Member, newRoleIds: readonly string[]): string[] {
  const isKept = ({ roleId }: { roleId: string }) => newRoleIds.includes(roleId);
  if (roles.some((role) => role.source !== MANUAL && !isKept(role)))
    throw new Problem('managed_by_scim', 'An identity provider grants a role to remove; remove it there.');
  return roles.filter((role) => role.source === MANUAL && isKept(role)).map(({ roleId }) => roleId);
}
