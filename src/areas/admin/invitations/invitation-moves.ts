import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { Commits } from '#libs/resource/commits.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { INVITATION_TYPE, type InvitationFacts, INVITATIONS_PATH, type InvitationView } from './invitation.dto.js';
import type { Invitation, InvitationStatus } from './invitation.entity.js';
import type { InvitationEvent } from './invitation.events.js';
import { InvitationLetters } from './invitation-letters.js';
import { InvitationsRepository, type MailFigures } from './invitations.repository.js';

/** Fires when an invitation expires; its key is the invitation's id. */
export const EXPIRY = 'core.invitation.expiry';
const NAME = 'Invitation';

/** Every change of an invitation: the row, its audit entry and event, its token, its timer and its mail, in one transaction. */
@Injectable()
export class InvitationMoves {
  constructor(
    private readonly repository: InvitationsRepository,
    private readonly letters: InvitationLetters,
    private readonly outbox: MailOutbox,
    private readonly commits: Commits,
    private readonly clock: Clock,
  ) {}

  /** The instant that everything this request changes is stamped with. */
  now(): string {
    return (currentScope().stampedAt ??= this.clock.now().toISOString());
  }

  /** Adds an invitation, and has its mail sent. */
  async add(transaction: Transaction, row: Invitation): Promise<void> {
    this.commit(transaction, 'created', null, row, this.repository.insert(row));
    await this.send(transaction, row);
    transaction.write(timerStatement({ kind: EXPIRY, key: row.id, dueAt: row.expiresAt }));
  }

  /** Applies changes; answers the row as it is then. */
  change(
    transaction: Transaction,
    before: Invitation,
    changes: Partial<Invitation>,
    event: InvitationEvent,
  ): Invitation {
    const after = { ...before, ...changes, version: before.version + 1, updatedAt: this.now() };
    this.commit(transaction, event, before, after, this.repository.replace(after));
    if (after.expiresAt !== before.expiresAt)
      transaction.write(timerStatement({ kind: EXPIRY, key: after.id, dueAt: after.expiresAt }));
    return after;
  }

  /** Has a mail with a new link sent, after which no earlier link works. */
  async send(transaction: Transaction, row: Invitation): Promise<void> {
    transaction.write(this.repository.openWith(await this.letters.send(transaction, row, this.now()), row));
  }

  /** Closes an open invitation: its link leads nowhere any more, and what has not been sent is not. */
  close(
    transaction: Transaction,
    row: Invitation,
    status: Exclude<InvitationStatus, 'pending'>,
    acceptedMembershipId: string | null = null,
  ): Invitation {
    const at = this.now();
    const after = this.change(transaction, row, { status, closedAt: at, acceptedMembershipId }, status);
    transaction.write(this.repository.closeTokens(row.id));
    transaction.write(this.outbox.cancel(row.id, at));
    transaction.write(cancelStatement({ kind: EXPIRY, key: row.id }));
    return after;
  }

  private commit(
    transaction: Transaction,
    event: InvitationEvent,
    before: Invitation | null,
    after: Invitation,
    save: Statement,
  ): void {
    const { id, version } = after;
    this.commits.add(transaction, {
      save,
      event: `${INVITATION_TYPE}.${event}`,
      subject: { type: INVITATION_TYPE, id, reference: null, version, url: `${INVITATIONS_PATH}/${id}`, name: NAME },
      before: before && factsOf(before),
      after: factsOf(after),
      at: after.updatedAt,
      riskLevel: 'medium',
    });
  }
}

/** An invitation without what is personal: for events, and for the audit log, which can never forget. */
export function factsOf(row: Invitation): InvitationFacts {
  const { id, version, roleIds, workspaceIds, invitedBy, employeeId, status } = row;
  const { expiresAt, acceptedMembershipId, createdAt, updatedAt } = row;
  return {
    id,
    object: INVITATION_TYPE,
    version,
    roleIds,
    workspaceIds,
    invitedBy,
    employeeId,
    status,
    expiresAt,
    acceptedMembershipId,
    createdAt,
    updatedAt,
  };
}

/** An invitation as administrators see it. */
export function present(row: Invitation, { sentCount, lastSentAt, mailStatus }: MailFigures): InvitationView {
  const { email, message } = row;
  return { ...factsOf(row), email, message, sentCount, lastSentAt, mailStatus };
}
