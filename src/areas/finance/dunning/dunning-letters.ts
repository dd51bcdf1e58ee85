import { Inject, Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { publicOrigin } from '#libs/http/public-url.js';
import { addDays } from '#libs/kernel/civil-time.js';
import { amountText } from '#libs/kernel/money.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { oneLine } from '#libs/mail/mail-text.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { type Invoice, invoices } from '../invoices/invoice.js';
import { InvoiceSharingService } from '../invoices/invoice-sharing.service.js';

/** Days after which an unsent reminder is not sent any more. */
const USEFUL_DAYS = 7;

/** Mails that remind customers of open invoices. */
@Injectable()
export class DunningLetters {
  constructor(
    private readonly sharing: InvoiceSharingService,
    private readonly outbox: MailOutbox,
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** Queues a reminder with a new public link to the invoice. */
  async send(transaction: Transaction, row: Invoice, to: string, at: string): Promise<void> {
    const { id, number, currency, balanceMinor, issueDate, dueDate, seller } = row;
    const from = oneLine(seller?.legalName ?? (await tenantName(this.database)));
    const view = await this.sharing.link(id);
    const text = [
      `The invoice ${number} of ${from}, dated ${issueDate}, was due on ${dueDate}. ${amountText(balanceMinor, currency)} is still open.`,
      `Open it here:\n${view}`,
      ...(seller?.bank ? [`Please pay to:\n${seller.bank}`] : []),
      'If you have paid in the meantime, please ignore this reminder.',
    ];
    const mail = {
      kind: invoices.type,
      subjectId: id,
      to,
      subject: `Payment reminder: invoice ${number} of ${from}`,
      text: text.join('\n\n'),
      // Logged if there is no mail server, so not the public link.
      link: `${publicOrigin(this.settings)}${pathOf(invoices)}/${id}`,
      expiresAt: `${addDays(at.slice(0, 10), USEFUL_DAYS)}${at.slice(10)}`,
    };
    await this.outbox.add(transaction, mail, at);
  }
}
