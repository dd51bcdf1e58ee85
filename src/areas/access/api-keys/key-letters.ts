import { Inject, Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { minuteOf, oneLine } from '#libs/mail/mail-text.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { type ApiKey, apiKeys } from './api-key.js';

/** Maximum number of members who are told about a service key. */
const MAX_READERS = 20;

/** Notifications about keys that expire soon: to the owner, or for a service key to members who manage all keys. */
@Injectable()
export class KeyLetters {
  constructor(
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** @param expiresAt expiry of the key; mails are not sent later */
  async expiring(transaction: Transaction, { id, name, memberId }: ApiKey, expiresAt: string): Promise<void> {
    const readers = memberId === null ? await this.holders.find('api-keys:manage-all', MAX_READERS) : [memberId];
    const tenant = oneLine(await tenantName(this.database));
    const url = `${apiKeys.path}/${id}`;
    const body = `The API key "${oneLine(name)}" of ${tenant} expires at ${minuteOf(expiresAt)}. After that, requests with it are rejected.`;
    const text = [body, `Rotate or extend it before then:\n${linkTo(this.settings, url)}`].join('\n\n');
    const subject = `The API key ${oneLine(name)} of ${tenant} expires soon`;
    const notice = {
      kind: 'security',
      subject: { object: apiKeys.type, id },
      title: `The API key ${oneLine(name)} expires soon`,
      body,
      url,
      letter: { subject, text, expiresAt },
    } as const;
    await this.notifier.tell(transaction, notice, readers);
  }
}
