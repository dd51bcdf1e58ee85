import { Injectable } from '@nestjs/common';
import { callerOrNull, requirePermission } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { attempt } from '#libs/resource/records/attempt.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { InvitingService } from '#src/areas/access/invitations/inviting.service.js';
import { type Employee, employees } from './employee.js';
import { EmployeesRepository } from './employees.repository.js';

const PERMISSION = 'members:invite';
/** The longest possible time, because the first day may be weeks ahead. */
const VALID_DAYS = 30;
const MOST_READERS = 20;

/** Invitations of employees whose onboarding starts. */
@Injectable()
export class EmployeeInvitations {
  constructor(
    private readonly inviting: InvitingService,
    private readonly repository: EmployeesRepository,
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
  ) {}

  /**
   * Invites an employee at the work address, unless a membership, an open invitation or a talent mapping makes that
   * unnecessary. A refusal does not stop the onboarding; the caller and the members who can invite are told instead.
   */
  async invite(transaction: Transaction, row: Employee): Promise<void> {
    const { id, workEmail: email, membershipId, mappingId, workspaceId } = row;
    if (email === null || membershipId !== null) return;
    if (await this.repository.isBeingInvited(transaction, { id, mappingId })) return;
    const workspaces = workspaceId === null ? {} : { workspaceIds: [workspaceId] };
    const reason = await this.refusal(transaction, { email, employeeId: id, expiresInDays: VALID_DAYS, ...workspaces });
    if (reason !== null) await this.tell(transaction, row, reason);
  }

  /** Sends an invitation; returns why it was refused, or null. */
  private async refusal(transaction: Transaction, input: Parameters<InvitingService['invite']>[0]) {
    let reason: string | null = null;
    const refused = await attempt(
      transaction,
      (error) => error, // invite() has translated it
      async () => {
        requirePermission(PERMISSION, { withinReach: true });
        const { data } = await this.inviting.invite(input);
        reason = data[0]?.error?.detail ?? null;
      },
    );
    return refused?.detail ?? reason;
  }

  private async tell(transaction: Transaction, { id, name }: Employee, reason: string): Promise<void> {
    const caller = callerOrNull()?.membershipId;
    const readers = new Set([...(caller ? [caller] : []), ...(await this.holders.find(PERMISSION, MOST_READERS))]);
    const notice = {
      kind: 'assignment',
      subject: { object: employees.type, id },
      url: `${pathOf(employees)}/${id}`,
      title: `${name} is not invited yet`,
      body: `The onboarding has started, but the invitation to the work address was refused: ${reason} Invite them when this is settled.`,
    } as const;
    await this.notifier.tell(transaction, notice, [...readers]);
  }
}
