import { Injectable } from '@nestjs/common';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem, type ProblemCode } from '#libs/kernel/problem.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { StepOutcome } from '#libs/steps/run-next-step.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import type { InvitationErrorCode } from '#src/areas/access/access.area.js';
import { InvitingService } from '#src/areas/access/invitations/inviting.service.js';
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

const OTHER_ADDRESS =
  'The employee has another e-mail address than the one that the invitation was promised to. Set `workEmail` of the mapping to the address that is right, and retry.';

/** The invitations of new employees. */
@Injectable()
export class MappingInvitations {
  constructor(
    private readonly kit: ResourceKit,
    private readonly settings: TenantSettings,
    private readonly employees: EmployeesService,
    private readonly inviting: InvitingService,
  ) {}

  /** When the invitation is sent, and for how many days it is valid then. */
  async scheduleOf(startDate: string, { inviteDaysBeforeStart }: Plan): Promise<{ sendAt: string; days: number }> {
    const { timezone } = (await this.settings.get()).general;
    const now = this.kit.now();
    const earliest = sendingTime(startDate, inviteDaysBeforeStart, timezone);
    const sendAt = earliest > now ? earliest : now;
    return { sendAt, days: validDays(startDate, sendAt, timezone) };
  }

  /**
   * Sends the invitation if it is time. The start date is that of the employee now; the address is the promised one.
   * @throws Problem 409 `approval_changed` if the employee has another address now.
   */
  async send(transaction: Transaction, row: Mapping, plan: Plan): Promise<StepOutcome> {
    const employee = await this.employees.records.readPlainly(row.employeeId!);
    if (employee.membershipId !== null)
      return skipped('already_member', 'The employee is linked to a membership already.');
    const email = row.invitee;
    if ((employee.workEmail ?? employee.personalEmail) !== email) throw new Problem('approval_changed', OTHER_ADDRESS);
    if (email === null) throw new Problem('required_fields_missing', 'The employee has no e-mail address.');
    const { sendAt, days } = await this.scheduleOf(employee.startDate ?? row.values.startDate!, plan);
    if (sendAt > this.kit.now()) return { status: 'waiting', until: sendAt };
    const { error, invitation } = await this.inviting.inviteEmployee(transaction, {
      email,
      roleIds: rolesOf(row.values),
      workspaceIds: row.values.workspaceIds,
      employeeId: employee.id,
      expiresInDays: days,
      invitedBy: row.appliedBy!, // a mapping with steps has one
    });
    if (error?.code === 'already_member') return skipped(error.code, `${error.detail} Link the employee to it.`);
    if (error) throw new Problem(PROBLEMS[error.code], error.detail);
    return { status: 'done', target: { object: 'core.invitation', id: invitation!.id } };
  }
}

export function rolesOf({ roleIds }: MappingValues): string[] {
  return roleIds.length > 0 ? roleIds : [SYSTEM_ROLE_IDS.member];
}

function skipped(code: string, message: string): StepOutcome {
  return { status: 'skipped', error: { code, message } };
}
