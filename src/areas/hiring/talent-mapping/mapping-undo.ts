import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Problem } from '#libs/kernel/problem.js';
import { attempt } from '#libs/resource/records/attempt.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Undone } from '#libs/steps/plan.js';
import type { StepTarget } from '#libs/steps/step.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import { CandidatesService } from '#src/areas/talent/candidates/candidates.service.js';
import { InvitationsService } from '#src/areas/access/invitations/invitations.service.js';
import type { Mapping } from './mapping.js';

interface Removal {
  isGone: boolean;
  /** The membership that the employee is linked to. */
  membershipId: string | null;
}

/** Reverts what the steps of a mapping have created. */
@Injectable()
export class MappingUndo {
  constructor(
    private readonly kit: ResourceKit,
    private readonly settings: TenantSettings,
    private readonly employees: EmployeesService,
    private readonly candidates: CandidatesService,
    private readonly invitations: InvitationsService,
  ) {}

  /** @throws Problem 409 `employment_begun` from the start date on. */
  async refuseBegun({ values: { startDate } }: Mapping): Promise<void> {
    const { timezone } = (await this.settings.get()).general;
    if (startDate !== null && startDate <= civilDateAt(Date.parse(this.kit.now()), timezone))
      throw new Problem('employment_begun', 'The start date has been reached; terminate the employee instead.');
  }

  /** Revokes the invitation, unless it was accepted. */
  async invitation(transaction: Transaction, target: StepTarget): Promise<Undone[]> {
    const isUndone = await this.invitations.withdraw(transaction, target.id);
    return [{ key: 'invitation', isUndone, target }];
  }

  /** Puts the employee into the trash and ends the access of the accepted invitation, unless somebody has changed it. */
  async employee(transaction: Transaction, { candidateId }: Mapping, target: StepTarget): Promise<Undone[]> {
    const { isGone, membershipId } = await this.removeEmployee(transaction, candidateId, target.id);
    const employee = { key: 'employee', isUndone: isGone, target };
    if (membershipId === null) return [employee];
    const membership = { object: 'core.membership', id: membershipId };
    return [employee, { key: 'membership', isUndone: isGone, target: membership }];
  }

  /** The link to the membership of the accepted invitation is not an edit. */
  private async removeEmployee(transaction: Transaction, candidateId: string, employeeId: string): Promise<Removal> {
    const { records } = this.employees;
    let isUnchanged = false;
    let membershipId: string | null = null;
    const refusal = await attempt(
      transaction,
      (error) => records.translate(error),
      async () => {
        const employee = await records.rows.lockPlainly(transaction, employeeId);
        ({ membershipId } = employee);
        const isInvited =
          membershipId !== null && (await this.invitations.hasBroughtIn(transaction, employeeId, membershipId));
        isUnchanged = employee.version === (isInvited ? 2 : 1);
        if (!isUnchanged) return;
        if (isInvited) await this.employees.endAccess(employee);
        await this.candidates.leaveEmployee(candidateId, employeeId);
        await records.follow('delete', employeeId);
      },
    );
    return { isGone: refusal === null && isUnchanged, membershipId };
  }
}
