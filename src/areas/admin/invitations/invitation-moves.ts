import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type Invitation, invitations, type InvitationStatus } from './invitation.js';
import { InvitationLetters } from './invitation-letters.js';
import { InvitationsRepository } from './invitations.repository.js';

/** Fires when an invitation expires; its key is the invitation's id. */
export const EXPIRY = 'core.invitation.expiry';

/** The address is no name for them: audit entries hold nothing personal. */
const NOTES = { subject: { name: 'Invitation' } };

/** Every change of an invitation with its token, its timer and its mail, in one transaction. */
@Injectable()
export class InvitationMoves {
  readonly objects: GovernedObjects<Invitation>;

  constructor(
    kit: ResourceKit,
    private readonly repository: InvitationsRepository,
    private readonly letters: InvitationLetters,
    private readonly outbox: MailOutbox,
  ) {
    this.objects = new GovernedObjects(invitations, kit, repository);
  }

  /** The instant that everything this request changes is stamped with. */
  now(): string {
    return this.objects.now();
  }

  /** Adds an invitation, and has its mail sent. */
  async add(transaction: Transaction, own: Parameters<GovernedObjects<Invitation>['add']>[1]): Promise<Invitation> {
    const row = this.objects.add(transaction, own, 'created', NOTES);
    await this.send(transaction, row);
    transaction.write(timerStatement({ kind: EXPIRY, key: row.id, dueAt: row.expiresAt }));
    return row;
  }

  /** Applies changes; answers the row as it is then. */
  change(transaction: Transaction, before: Invitation, changes: Partial<Invitation>, event = 'updated'): Invitation {
    const after = this.objects.change(transaction, before, changes, event, NOTES);
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
}
