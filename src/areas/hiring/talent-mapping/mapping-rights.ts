import { Injectable } from '@nestjs/common';
import { every, type Guard } from '#libs/access/guard.js';
import { limitsOf } from '#libs/access/limits.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Guarantors } from '#libs/auth/guarantors.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Role, RoleBook } from '#libs/members/role-book.js';
import { RoleDoor } from '#libs/members/role-door.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { CandidatesService } from '#src/areas/talent/candidates/candidates.service.js';
import { placesWithinReach } from '#src/areas/access/access.area.js';
import { APPLY } from './mapping.rules.js';
import { MappingFields } from './mapping-fields.js';
import { rolesOf } from './mapping-invitations.js';
import type { Mapping } from './mapping.js';
import type { Plan } from './mapping-template.js';

/** Of mappings that were applied by a release that did not keep what was approved. */
const UNKNOWN = 'What was approved is not known any more. Retry it yourself.';
const ALTERNATIVE = 'Invite them with other roles, and grant the privileged one to the member afterwards.';

/** Which mappings callers reach, and what they need to apply one. */
@Injectable()
export class MappingRights {
  constructor(
    private readonly candidates: CandidatesService,
    private readonly fields: MappingFields,
    private readonly roles: RoleBook,
    private readonly door: RoleDoor,
    private readonly guarantors: Guarantors,
  ) {}

  /** The mappings of the candidates that the caller can see and that a permission reaches. */
  within(permission: string): Guard {
    const { records } = this.candidates;
    const seen = every(records.visible(), limitsOf(records.definition, permission));
    return (add) => `t.candidate_id in (select t.id from data.talent_candidates t
      where t.tenant_id = ${add(currentTenant().id)} and t.deleted_at is null${seen ? ` and ${seen(add)}` : ''})`;
  }

  /**
   * @throws Problem 403 for pay, personal fields, roles and workspaces that the caller may not give, and where a gate
   * holds a privileged role.
   */
  async requireAll(transaction: Transaction, row: Mapping, plan: Plan): Promise<void> {
    const roles = await this.require(transaction, row, plan);
    const { workspaceIds } = row.values;
    await this.door.refuse(roles, () => ({ roleIds: rolesOf(row.values), workspaceIds }), ALTERNATIVE);
  }

  /**
   * Asks again for the rights of who applied the mapping, because weeks may have passed.
   * @throws Problem 401 or 403 if they no longer have them; 403 for a privileged role that nobody has promised; 409
   * `approval_changed`.
   */
  async requireKept(row: Mapping, transaction: Transaction): Promise<void> {
    if (!row.promise) throw new Problem('approval_changed', UNKNOWN);
    const { plan, guarantor } = row.promise;
    if (guarantor) {
      const checks = async () => void (await this.require(transaction, row, plan));
      await this.guarantors.check(guarantor, `talent mapping ${row.id}`, checks);
    } else if (!(await this.isUnattended(transaction, row, plan)))
      throw new Problem('permission_denied', 'A person has to give these roles. Retry the mapping yourself.');
  }

  private async require(transaction: Transaction, { values }: Mapping, plan: Plan): Promise<Role[]> {
    requirePermission(APPLY.permission, { withinReach: true });
    if (plan.copyPay) requirePermission('employees.compensation:write');
    for (const permission of this.fields.permissionsFor(plan.fieldMap)) requirePermission(permission);
    if (!plan.createMembership) return [];
    requirePermission('members:invite', { withinReach: true });
    const { workspaceIds } = values;
    const roles = await this.roles.requireGrantable(transaction, rolesOf(values), '/values/roleIds');
    placesWithinReach(workspaceIds.length > 0 ? workspaceIds : undefined);
    return roles;
  }

  /** Whether an automation may apply a mapping: it promises no privileged role, and no role that is gone. */
  async isUnattended(transaction: Transaction, { values }: Mapping, { createMembership }: Plan): Promise<boolean> {
    if (!createMembership) return true;
    try {
      const roles = await this.roles.resolve(transaction, rolesOf(values), '/values/roleIds');
      return !roles.some(({ isPrivileged }) => isPrivileged);
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }
}
