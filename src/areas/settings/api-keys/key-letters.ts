import { Inject, Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { publicOrigin } from '#libs/http/public-url.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { minuteOf, oneLine } from '#libs/mail/mail-text.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { type ApiKey, apiKeys } from './api-key.js';

/** Maximum recipients of a mail about a service key. */
const MAX_READERS = 20;

/** Mails about keys that expire soon: to the owner, or for a service key to members who manage all keys. */
@Injectable()
export class KeyLetters {
  constructor(
    private readonly holders: PermissionHolders,
    private readonly outbox: MailOutbox,
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** @param expiresAt expiry of the key; the mail is not sent later */
  async expiring(
    transaction: Transaction,
    { id, name, memberId }: ApiKey,
    expiresAt: string,
    at: string,
  ): Promise<void> {
    const readers =
      memberId === null
        ? await this.holders.addresses('api-keys:manage-all', MAX_READERS, 'security')
        : await this.holders.addressOf(memberId, 'security');
    if (readers.length === 0) return;
    const tenant = oneLine(await tenantName(this.database));
    const link = `${publicOrigin(this.settings)}${apiKeys.path}/${id}`;
    const mail = {
      kind: apiKeys.type,
      subjectId: id,
      subject: `The API key ${oneLine(name)} of ${tenant} expires soon`,
      text: [
        `The API key "${oneLine(name)}" of ${tenant} expires at ${minuteOf(expiresAt)}. After that, requests with it are rejected.`,
        `Rotate or extend it before then:\n${link}`,
      ].join('\n\n'),
      link,
      expiresAt,
    };
    for (const to of readers) await this.outbox.add(transaction, { ...mail, to }, at);
  }
}
