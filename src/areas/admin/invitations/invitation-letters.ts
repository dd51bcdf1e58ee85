import { Inject, Injectable } from '@nestjs/common';
import { generateInvitationToken } from '#libs/auth/api-key.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Invitation } from './invitation.entity.js';

const KIND = 'core.invitation';
const TENANT = `select name from directory.find_tenant($1)`;

/** Writes the mails with the links of invitations. */
@Injectable()
export class InvitationLetters {
  private readonly page: string;

  constructor(
    private readonly database: Database,
    private readonly outbox: MailOutbox,
    @Inject(SETTINGS_TOKEN) { INVITATION_URL: page, HOST: host, PORT: port }: Settings,
  ) {
    this.page = page ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}/api/invitations/{token}`;
  }

  /**
   * Has a mail sent with a new token; one that has not been sent is taken back.
   * @returns what is stored of the token.
   */
  async send(transaction: Transaction, invitation: Invitation, at: string): Promise<Buffer> {
    const { text: token, hash } = generateInvitationToken();
    const link = this.page.replace('{token}', token);
    const { id: subjectId, email: to, expiresAt } = invitation;
    const tenant = await this.tenantName();
    transaction.write(this.outbox.cancel(subjectId, at));
    const text = textOf(invitation, tenant, link);
    const mail = { kind: KIND, subjectId, to, subject: `You are invited to ${oneLine(tenant)}`, text, link, expiresAt };
    await this.outbox.add(transaction, mail, at);
    return hash;
  }

  async tenantName(): Promise<string> {
    const [row] = await this.database.read<{ name: string }>(statement(TENANT, [currentTenant().slug]));
    return row!.name;
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function textOf({ invitedBy, message, expiresAt }: Invitation, tenant: string, link: string): string {
  const day = expiresAt.slice(0, 16).replace('T', ' ');
  return [
    `${oneLine(invitedBy.name)} invites you to join ${oneLine(tenant)}.`,
    ...(message === null ? [] : [message]),
    `Accept or decline here:\n${link}`,
    `The invitation is for this address alone and expires at ${day} UTC. Whoever did not expect it can ignore it.`,
  ].join('\n\n');
}
