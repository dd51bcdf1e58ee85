import { Inject, Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { amountText } from '#libs/kernel/money.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import type { MailState } from '#libs/mail/mail-states.js';
import { oneLine } from '#libs/mail/mail-text.js';
import { replyAddress } from '#libs/mail/reply-address.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { attachmentsOf, creditNoteXml } from '../e-invoices/e-invoice-texts.js';
import type { Invoice } from '../invoices/invoice.js';
import { type CreditNote, creditNotes } from './credit-note.js';

const SENT = 'finance.credit_note.sent';
/** Days after which an unsent mail is not sent any more. */
const USEFUL_DAYS = 7;

/** Mails to customers with what a credit note says. */
@Injectable()
export class CreditNoteLetters {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** Queues the credit note for each of the recipients that it names. */
  async send(transaction: Transaction, row: CreditNote, invoice: Invoice): Promise<void> {
    const { id, number, currency, totalMinor, taxMinor, issueDate, reason, sentTo, sentMessage } = row;
    const from = oneLine(invoice.seller?.legalName ?? (await tenantName(this.database)));
    const at = row.sentAt!; // it has just been sent
    const text = [
      ...(sentMessage === null ? [] : [sentMessage]),
      `The credit note ${number} of ${from}, dated ${issueDate}, credits ${amountText(totalMinor, currency)} of the invoice ${invoice.number}, including ${amountText(taxMinor, currency)} of taxes.`,
      row.lineItems
        .map((line) => `- ${oneLine(line.description)}: ${amountText(line.netMinor, currency)} net`)
        .join('\n'),
      `Reason: ${reason}`,
    ].join('\n\n');
    const mail = {
      ...{ kind: SENT, object: creditNotes.type, subjectId: id, text },
      subject: `Credit note ${number} of ${from}`,
      link: linkTo(this.settings, `${pathOf(creditNotes)}/${id}`),
      attachments: attachmentsOf(number!, await creditNoteXml(row, invoice)),
      expiresAt: new Date(Date.parse(at) + USEFUL_DAYS * DAY_MS).toISOString(),
      ...(await replyAddress(this.database)),
    };
    for (const to of sentTo) await this.outbox.add(transaction, { ...mail, to }, at);
  }

  /** State of the newest mails about a credit note; null without one. */
  stateOf(id: string): Promise<MailState | null> {
    return this.outbox.stateOf([SENT], id);
  }
}
