import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Problem } from '#libs/kernel/problem.js';
import { attempt } from '#libs/resource/records/attempt.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import { CandidatesService } from '#src/areas/talent/candidates/candidates.service.js';
import { InvitationsService } from '#src/areas/access/invitations/invitations.service.js';
import type { Mapping } from './mapping.js';
import { type MappingEffect } from './talent-mapping.requests.js';

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

  /**
   * Revokes the invitation. Puts the employee into the trash and ends the access of the accepted invitation, unless
   * somebody has changed the employee.
   */
  async revert(transaction: Transaction, row: Mapping): Promise<MappingEffect[]> {
    const effects: MappingEffect[] = [];
    const { invitationId, employeeId } = row;
    if (invitationId !== null) {
      const isRevoked = await this.invitations.withdraw(transaction, invitationId);
      effects.push(effect('invitation', isRevoked, { object: 'core.invitation', id: invitationId }));
    }
    if (employeeId !== null) {
      const { isGone, membershipId } = await this.removeEmployee(transaction, row.candidateId, employeeId);
      effects.push(effect('employee', isGone, { object: 'people.employee', id: employeeId }));
      if (membershipId !== null)
        effects.push(effect('membership', isGone, { object: 'core.membership', id: membershipId }));
    }
    return effects;
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

function effect(key: string, isReverted: boolean, target: MappingEffect['target']): MappingEffect {
  return { key, status: isReverted ? 'reverted' : 'kept', target };
}
