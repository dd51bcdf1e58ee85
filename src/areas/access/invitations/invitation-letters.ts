import { Inject, Injectable } from '@nestjs/common';
import { generateInvitationToken } from '#libs/auth/api-key.js';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { minuteOf, oneLine } from '#libs/mail/mail-text.js';
import { type Invitation, invitations } from './invitation.js';

/** Writes the invitation mails with their links. */
@Injectable()
export class InvitationLetters {
  private readonly page: string;

  constructor(
    private readonly database: Database,
    private readonly outbox: MailOutbox,
    @Inject(SETTINGS_TOKEN) settings: Settings,
  ) {
    this.page = settings.INVITATION_URL ?? linkTo(settings, '/api/invitations/{token}');
  }

  /**
   * Queues a mail with a new token and cancels an earlier mail that has not been sent.
   * @returns the hash of the token.
   */
  async send(transaction: Transaction, invitation: Invitation, at: string): Promise<Buffer> {
    const { text: token, hash } = generateInvitationToken();
    const link = this.page.replace('{token}', token);
    const { id: subjectId, email: to, expiresAt } = invitation;
    const tenant = await tenantName(this.database);
    transaction.write(this.outbox.cancel({ kinds: [invitations.type], subjectIds: [subjectId] }, at));
    const text = textOf(invitation, tenant, link);
    const mail = {
      kind: invitations.type,
      object: invitations.type,
      subjectId,
      to,
      subject: `You are invited to ${oneLine(tenant)}`,
      text,
      link,
      expiresAt,
    };
    await this.outbox.add(transaction, mail, at);
    return hash;
  }
}

function textOf({ invitedBy, message, expiresAt }: Invitation, tenant: string, link: string): string {
  return [
    `${oneLine(invitedBy.name)} invites you to join ${oneLine(tenant)}.`,
    ...(message === null ? [] : [message]),
    `Accept or decline here:\n${link}`,
    `The invitation is for this address only and expires at ${minuteOf(expiresAt)}. If you did not expect it, you can ignore this mail.`,
  ].join('\n\n');
}
