import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { addDays } from '#libs/kernel/civil-time.js';
import { amountText } from '#libs/kernel/money.js';
import { type MailContent, MailOutbox } from '#libs/mail/mail-outbox.js';
import { oneLine } from '#libs/mail/mail-text.js';
import { replyAddress } from '#libs/mail/reply-address.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { attachmentsOf, invoiceXml } from '../e-invoices/e-invoice-texts.js';
import { REMINDER } from '../dunning/dunning-schedule.js';
import { type Invoice, invoices } from './invoice.js';
import { InvoiceSharingService } from './invoice-sharing.service.js';
import { InvoicesService, SENT } from './invoices.service.js';

/** Days after which an unsent mail is not sent any more. */
const USEFUL_DAYS = 7;
/** Number of the last of the templates of reminders, which further reminders use, too. */
const LAST_REMINDER = 3;

/** Mails to customers about invoices, each with a new public link to the invoice. */
@Injectable()
export class InvoiceLetters implements OnModuleInit {
  constructor(
    private readonly service: InvoicesService,
    private readonly sharing: InvoiceSharingService,
    private readonly outbox: MailOutbox,
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    this.service.mailWith((transaction, row) => this.send(transaction, row));
  }

  /** Queues a reminder of an open invoice. */
  async remind(transaction: Transaction, row: Invoice, level: number, to: string, at: string): Promise<void> {
    const { number, currency, balanceMinor, totalMinor, issueDate, dueDate, customer, language } = row;
    const invoice = { number, currency, balanceMinor, totalMinor, issueDate, dueDate, customer };
    await this.mail(transaction, row, {
      kind: REMINDER,
      to: [to],
      subject: `Payment reminder: invoice ${number}`,
      text: null,
      template: {
        purpose: `reminder-${Math.min(level, LAST_REMINDER)}`,
        locale: language,
        data: { invoice, link: await this.sharing.link(row.id) },
      },
      at,
    });
  }

  /** Queues the invoice for each of the recipients that it names. */
  private async send(transaction: Transaction, row: Invoice): Promise<void> {
    const { number, currency, totalMinor, issueDate, dueDate, seller, sentTo, sentMessage, sentAt } = row;
    const from = await this.senderOf(row);
    await this.mail(transaction, row, {
      kind: SENT,
      to: sentTo,
      subject: `Invoice ${number} of ${from}`,
      text: [
        ...(sentMessage === null ? [] : [sentMessage]),
        `The invoice ${number} of ${from}, dated ${issueDate}, is for ${amountText(totalMinor, currency)} and is due on ${dueDate}.`,
        `Open it here:\n${await this.sharing.link(row.id)}`,
        ...(seller?.bank ? [`Please pay to:\n${seller.bank}`] : []),
      ].join('\n\n'),
      attachments: attachmentsOf(number!, await invoiceXml(row)),
      at: sentAt!, // it has just been sent
    });
  }

  private async mail(
    transaction: Transaction,
    { id: subjectId }: Invoice,
    letter: Pick<MailContent, 'subject' | 'text' | 'template' | 'attachments'> & {
      kind: string;
      to: readonly string[];
      at: string;
    },
  ): Promise<void> {
    const { at, to: recipients, ...content } = letter;
    // Logged if there is no mail server, so not the public link.
    const link = linkTo(this.settings, `${pathOf(invoices)}/${subjectId}`);
    const expiresAt = `${addDays(at.slice(0, 10), USEFUL_DAYS)}${at.slice(10)}`;
    const mail = { ...content, object: invoices.type, subjectId, link, expiresAt };
    const reply = await replyAddress(this.database);
    for (const to of recipients) await this.outbox.add(transaction, { ...mail, ...reply, to }, at);
  }

  private async senderOf({ seller }: Invoice): Promise<string> {
    return oneLine(seller?.legalName ?? (await tenantName(this.database)));
  }
}
