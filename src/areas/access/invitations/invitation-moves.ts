import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type Invitation, invitations, type InvitationStatus } from './invitation.js';
import { InvitationLetters } from './invitation-letters.js';
import type { InvitationView } from './invitation.requests.js';
import { withinReach } from './invitation.rules.js';
import { InvitationsRepository, present } from './invitations.repository.js';

/** Fires when an invitation expires; its key is the invitation's id. */
export const EXPIRY = 'core.invitation.expiry';

/** The address is not used as a name, because audit entries contain no personal data. */
const NOTES = { subject: { name: 'Invitation' } };

/** Changes an invitation with its token, timer and mail in one transaction. */
@Injectable()
export class InvitationMoves {
  readonly objects: GovernedObjects<Invitation, InvitationView>;

  constructor(
    kit: ResourceKit,
    private readonly repository: InvitationsRepository,
    private readonly letters: InvitationLetters,
    private readonly outbox: MailOutbox,
  ) {
    this.objects = new GovernedObjects(invitations, kit, this, repository);
  }

  /** With a limited reach, only invitations into workspaces within it. */
  visible = withinReach;

  async show(rows: readonly Invitation[]): Promise<InvitationView[]> {
    const mails = await this.repository.mails(rows.map(({ id }) => id));
    return rows.map((row) => present(row, mails(row.id)));
  }

  /** The time stamp of all changes of this request. */
  now(): string {
    return this.objects.now();
  }

  /** Adds an invitation and queues its mail. */
  async add(transaction: Transaction, own: Parameters<GovernedObjects<Invitation>['add']>[1]): Promise<Invitation> {
    const row = this.objects.add(transaction, own, 'created', NOTES);
    await this.send(transaction, row);
    transaction.write(timerStatement({ kind: EXPIRY, key: row.id, dueAt: row.expiresAt }));
    return row;
  }

  /** Applies changes; returns the changed row. */
  change(transaction: Transaction, before: Invitation, changes: Partial<Invitation>, event = 'updated'): Invitation {
    const after = this.objects.change(transaction, before, changes, event, NOTES);
    if (after.expiresAt !== before.expiresAt)
      transaction.write(timerStatement({ kind: EXPIRY, key: after.id, dueAt: after.expiresAt }));
    return after;
  }

  /** Queues a mail with a new link; earlier links stop working. */
  async send(transaction: Transaction, row: Invitation): Promise<void> {
    transaction.write(this.repository.openWith(await this.letters.send(transaction, row, this.now()), row));
  }

  /** Closes an open invitation. Its link stops working, and a mail that has not been sent is cancelled. */
  close(
    transaction: Transaction,
    row: Invitation,
    status: Exclude<InvitationStatus, 'pending'>,
    acceptedMembershipId: string | null = null,
  ): Invitation {
    const at = this.now();
    const after = this.change(transaction, row, { status, closedAt: at, acceptedMembershipId }, status);
    transaction.write(this.repository.closeTokens(row.id));
    transaction.write(this.outbox.cancel({ kinds: [invitations.type], subjectIds: [row.id] }, at));
    transaction.write(cancelStatement({ kind: EXPIRY, key: row.id }));
    return after;
  }
}
