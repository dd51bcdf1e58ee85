import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Problem } from '#libs/kernel/problem.js';
import { attempt } from '#libs/resource/records/attempt.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import { CandidatesService } from '#src/areas/talent/candidates/candidates.service.js';
import { InvitationsService } from '../invitations/invitations.service.js';
import type { Mapping } from './mapping.js';
import { type MappingEffect } from './talent-mapping.requests.js';

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

  /** Revokes the invitation, and puts the employee into the trash unless somebody has changed them. */
  async revert(transaction: Transaction, row: Mapping): Promise<MappingEffect[]> {
    const effects: MappingEffect[] = [];
    const { invitationId, employeeId } = row;
    if (invitationId !== null) {
      const isRevoked = await this.invitations.withdraw(transaction, invitationId);
      effects.push(effect('invitation', isRevoked, { object: 'core.invitation', id: invitationId }));
    }
    if (employeeId !== null) {
      const isGone = await this.removeEmployee(transaction, row.candidateId, employeeId);
      effects.push(effect('employee', isGone, { object: 'people.employee', id: employeeId }));
    }
    return effects;
  }

  private async removeEmployee(transaction: Transaction, candidateId: string, employeeId: string): Promise<boolean> {
    const { records } = this.employees;
    let isUnchanged = false;
    const refusal = await attempt(
      transaction,
      (error) => records.translate(error),
      async () => {
        const employee = await records.rows.lockPlainly(transaction, employeeId);
        isUnchanged = employee.version === 1;
        if (!isUnchanged) return;
        await this.candidates.leaveEmployee(candidateId, employeeId);
        await records.follow('delete', employeeId);
      },
    );
    return refusal === null && isUnchanged;
  }
}

function effect(key: string, isReverted: boolean, target: MappingEffect['target']): MappingEffect {
  return { key, status: isReverted ? 'reverted' : 'kept', target };
}
