import { Injectable } from '@nestjs/common';
import { asMember } from '#libs/auth/as-member.js';
import { Authorities } from '#libs/auth/authority.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem, type ProblemCode } from '#libs/kernel/problem.js';
import { RoleBook } from '#libs/members/role-book.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { StepOutcome } from '#libs/steps/run-next-step.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import type { InvitationErrorCode } from '../invitations/invitation.requests.js';
import { InvitingService } from '../invitations/inviting.service.js';
import { sendingTime, validDays } from './invitation-time.js';
import type { Mapping } from './mapping.js';
import type { Plan } from './mapping-template.js';
import type { MappingValues } from './mapping-values.js';

/** Problems of a step for the reasons why an address was not invited. */
const PROBLEMS: Record<Exclude<InvitationErrorCode, 'already_member'>, ProblemCode> = {
  pending_exists: 'duplicate',
  seat_limit: 'seat_limit',
  domain_not_allowed: 'permission_denied',
  role_too_high: 'grant_exceeds_rights',
};

/** The invitations of new employees. */
@Injectable()
export class MappingInvitations {
  constructor(
    private readonly kit: ResourceKit,
    private readonly settings: TenantSettings,
    private readonly employees: EmployeesService,
    private readonly inviting: InvitingService,
    private readonly roles: RoleBook,
    private readonly authorities: Authorities,
  ) {}

  /** When the invitation is sent, and for how many days it is valid then. */
  async scheduleOf(startDate: string, { inviteDaysBeforeStart }: Plan): Promise<{ sendAt: string; days: number }> {
    const { timezone } = (await this.settings.get()).general;
    const now = this.kit.now();
    const earliest = sendingTime(startDate, inviteDaysBeforeStart, timezone);
    const sendAt = earliest > now ? earliest : now;
    return { sendAt, days: validDays(startDate, sendAt, timezone) };
  }

  /** Sends the invitation if it is time. The start date and the address are those of the employee now. */
  async send(transaction: Transaction, row: Mapping, plan: Plan): Promise<StepOutcome> {
    const employee = await this.employees.records.readPlainly(row.employeeId!);
    if (employee.membershipId !== null)
      return skipped('already_member', 'The employee is linked to a membership already.');
    const { sendAt, days } = await this.scheduleOf(employee.startDate ?? row.values.startDate!, plan);
    if (sendAt > this.kit.now()) return { status: 'waiting', until: sendAt };
    const email = employee.workEmail ?? employee.personalEmail;
    if (email === null) throw new Problem('required_fields_missing', 'The employee has no e-mail address.');
    const roleIds = rolesOf(row.values);
    await this.requireStillGrantable(transaction, row, roleIds);
    const { error, invitation } = await this.inviting.inviteEmployee(transaction, {
      email,
      roleIds,
      workspaceIds: row.values.workspaceIds,
      employeeId: employee.id,
      expiresInDays: days,
      invitedBy: row.appliedBy!, // a mapping with steps has one
    });
    if (error?.code === 'already_member') return skipped(error.code, `${error.detail} Link the employee to it.`);
    if (error) throw new Problem(PROBLEMS[error.code], error.detail);
    return { status: 'done', target: { object: 'core.invitation', id: invitation!.id } };
  }

  /** Weeks may have passed since the mapping was applied. @throws Problem 403. */
  private async requireStillGrantable(transaction: Transaction, { appliedBy }: Mapping, roleIds: string[]) {
    if (appliedBy?.type !== 'member') return;
    const isActive = await asMember(this.authorities, appliedBy.id!, async () => {
      await this.roles.requireGrantable(transaction, roleIds, '/values/roleIds');
      return true;
    });
    if (!isActive)
      throw new Problem('permission_denied', 'The member who applied the mapping is not active. Retry it yourself.');
  }
}

export function rolesOf({ roleIds }: MappingValues): string[] {
  return roleIds.length > 0 ? roleIds : [SYSTEM_ROLE_IDS.member];
}

function skipped(code: string, message: string): StepOutcome {
  return { status: 'skipped', error: { code, message } };
}
