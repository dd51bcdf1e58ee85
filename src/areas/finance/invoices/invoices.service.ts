import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Automations } from '#libs/automation/automations.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { toMajor } from '#libs/kernel/money.js';
import { Problem } from '#libs/kernel/problem.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import type { Asked, Change, Decisions, Gating, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { unsaid } from '#libs/resource/access/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { DunningSchedule, REMINDER } from '../dunning/dunning-schedule.js';
import { type InvoiceFigures, SettlementDesk } from '../settlement-desk.js';
import { viewOf } from '../e-invoices/e-invoices.js';
import type { CreditInvoice, IssueInvoice, PayInvoice, SendInvoice, VoidInvoice } from './invoice.actions.js';
import { type Invoice, type InvoiceInput, invoices, type ShownInvoice } from './invoice.js';
import { type InvoiceAction, type InvoiceStatus, OPEN_STATUSES } from './invoice.lifecycle.js';
import { CreditLimits } from './credit-limits.js';
import { InvoiceBooks } from './invoice-books.js';
import { InvoiceDrafts } from './invoice-drafts.js';
import { exchangeOf, settled, type Settlement, statusAt } from './invoice-figures.js';
import { InvoiceIssuing } from './invoice-issuing.js';
import { InvoiceSources } from './invoice-sources.js';
import { alreadyBilled } from './invoice.problems.js';
import { InvoicesRepository } from './invoices.repository.js';

type InvoiceDecisions = Decisions<Invoice, ShownInvoice, InvoiceAction>;

const OVERDUE = 'finance.invoice.overdue';
/** Kind of the mails with which invoices are sent. */
export const SENT = 'finance.invoice.sent';
/** No reminder follows. */
const ENDED = { dunningNextAt: null };
const UNSETTLED: readonly InvoiceStatus[] = ['draft', 'void'];

/** Queues the mails with which an invoice is sent, as part of a transaction. */
type Mailer = (transaction: Transaction, row: Invoice) => Promise<void>;

/** Money received for or returned from an invoice, in its currency and for its account. */
export interface SettlementOf extends Settlement {
  currency: string;
  accountId?: string | null;
  /** Verb of the event; by default `payment_recorded`, or `payment_released` for returned money. */
  event?: string;
}

@Injectable()
export class InvoicesService implements InvoiceDecisions, OnModuleInit {
  readonly actions: InvoiceDecisions['actions'] = {
    issue: (row, { issueDate }: IssueInvoice) => this.issue(row, issueDate),
    send: (row, input: SendInvoice) => this.send(row, input),
    pay: (row, input: PayInvoice) => this.pay(row, input),
    credit: (row, input: CreditInvoice) => this.credit(row, input),
    void: (row, input: VoidInvoice) => this.void(row, input),
    write_off: (row) => this.writeOff(row),
  };
  readonly constraints = {
    finance_invoices_void_without_credit: hasPayments,
    finance_invoice_sources_pkey: alreadyBilled,
  };
  readonly records: Records<Invoice, ShownInvoice, InvoiceAction>;
  private mailer: Mailer | null = null;

  readonly gating: Gating<Invoice, InvoiceAction> = {
    facts: async (row, action) => {
      const warnings = action === 'issue' ? await this.limits.warnings(row) : row.warnings;
      return { exceedsCreditLimit: warnings.length > 0 };
    },
  };

  constructor(
    private readonly kit: ResourceKit,
    private readonly repository: InvoicesRepository,
    private readonly drafts: InvoiceDrafts,
    private readonly issuing: InvoiceIssuing,
    private readonly sources: InvoiceSources,
    private readonly books: InvoiceBooks,
    private readonly desk: SettlementDesk,
    private readonly accounts: AccountsService,
    private readonly deals: DealsService,
    private readonly automations: Automations,
    private readonly dunning: DunningSchedule,
    private readonly limits: CreditLimits,
    private readonly outbox: MailOutbox,
  ) {
    this.records = Records.of(invoices, kit, this, repository);
  }

  onModuleInit(): void {
    this.accounts.merging.referredBy(this.records, 'accountId');
    this.deals.heldBy(async (dealId, action) => {
      if (action === 'change_currency') return null;
      const number = await this.repository.numberOfDeal(dealId);
      return number && `The invoice ${number} charges for the deal.`;
    });
    this.automations.timer({
      kind: OVERDUE,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.fallDue(id),
    });
  }

  /** Registers what mails an invoice that has just been sent to the recipients that it names. */
  mailWith(mailer: Mailer): void {
    this.mailer = mailer;
  }

  /** Adds the state of the newest mail about the invoice and, of a draft, what its electronic form lacks. */
  async detail(view: ShownInvoice): Promise<ShownInvoice> {
    const eInvoice = view.status === 'draft' ? await this.issuing.expected(view) : view.eInvoice;
    return { ...view, eInvoice, mailStatus: await this.outbox.stateOf([SENT, REMINDER], view.id) };
  }

  /** Creates a draft with the customer and the lines of an invoice. @throws Problem 404. */
  async duplicate(id: string): Promise<ShownInvoice> {
    return this.records.create(unsaid(await this.drafts.copyOf(await this.records.read(id))));
  }

  /**
   * Settles a part of an issued invoice for a payment or a credit note in the open transaction. Returns the invoice
   * before the settlement; a write-off that a payment reverses is already reversed.
   * @throws Problem 404; 409 if the invoice cannot be settled, or not by this amount.
   */
  async settle(id: string, settlement: SettlementOf): Promise<InvoiceFigures> {
    const { currency, accountId = null, paidMinor = 0 } = settlement;
    const { rows, rules } = this.records;
    return this.records.unit(async (transaction) => {
      const row = await rows.lockPlainly(transaction, id);
      if (UNSETTLED.includes(row.status)) throw rules.refusal(row, 'pay');
      if (row.currency !== currency) throw new Problem('currency_mismatch', `The invoice is in ${row.currency}.`);
      if (accountId !== null && row.accountId !== null && accountId !== row.accountId)
        throw new Problem('account_mismatch', 'The invoice charges another account.');
      const before = await this.books.recovered(row);
      const { event = paidMinor < 0 ? 'payment_released' : 'payment_recorded' } = settlement;
      const move = paidMinor < 0 ? 'release' : 'pay';
      await rows.apply(transaction, row, await this.dunning.follow(row, settled(before, settlement)), event, { move });
      return before;
    });
  }

  /** A patch of the status to `paid` is a payment of the whole balance or a part. */
  around<T>({ verb, input }: Asked<InvoiceAction>, work: (input: Input) => Promise<T>): Promise<T> {
    return work(verb === 'update' && input['status'] === 'paid' ? { ...input, status: 'partially_paid' } : input);
  }

  stateOf(row: Invoice): InvoiceStatus {
    return statusAt(row, this.kit.clock.nowMs());
  }

  /** An issued invoice keeps what it says as a document. */
  erased({ status, name, customer, seller }: Invoice): Partial<Invoice> {
    return status === 'draft' ? {} : { name, customer, seller };
  }

  derive(row: Invoice): Partial<ShownInvoice> {
    const status = statusAt(row, this.kit.clock.nowMs());
    return {
      status,
      isOverdue: status === 'overdue',
      mailStatus: null,
      eInvoice: viewOf(row.eInvoiceData),
      amount: toMajor(row.totalMinor, row.currency),
      exchange: exchangeOf(row),
      dunning: {
        paused: row.dunningPaused,
        level: row.dunningLevel,
        lastSentAt: row.dunningLastSentAt,
        nextAt: row.dunningNextAt,
        notSentReason: row.dunningNotSentReason,
      },
    };
  }

  draft(input: InvoiceInput): Promise<Draft<Invoice>> {
    return this.drafts.draft(input);
  }

  /** Of an issued invoice, only internal notes and general record fields can be edited. */
  async edit(row: Invoice, patch: Omit<InvoiceInput, 'amount'>): Promise<Partial<Invoice>> {
    const fixed = Object.keys(patch).filter((field) => field !== 'notes' && field !== 'dunning');
    if (row.status !== 'draft' && fixed.length > 0)
      throw new Problem('record_locked', `The invoice has been issued: ${fixed.join(', ')} cannot change any more.`);
    return this.dunning.follow(row, await this.drafts.edit(row, patch));
  }

  /** Whether the issue would exceed the credit limit of the account. */
  visibility({ lineItems = [] }: InvoiceInput, before: Partial<Invoice>): Statement[] {
    return this.sources.visibilityChecks(lineItems, before.lineItems);
  }

  checks({ lineItems }: Invoice, before: Invoice | null): Statement[] {
    return this.sources.checks(lineItems, before?.lineItems);
  }

  /**
   * Updates the timers of the due date and of reminders, mails the invoice if requested, and reports full settlement.
   */
  async saved(transaction: Transaction, { before, after, event, input }: Change<Invoice>): Promise<Invoice> {
    if (!before) return after;
    keepTimer(transaction, before, after);
    this.dunning.keep(transaction, before, after);
    if (event === 'sent') await this.mailer?.(transaction, after);
    if (event === 'issued') return input['send'] === true ? this.sendIssued(transaction, before, after) : after;
    if (after.status !== 'paid' || before.status === 'paid') return after;
    return this.records.rows.apply(transaction, after, { paidAt: this.records.rows.now() }, 'paid');
  }

  /** `draft` is the locked row, to which the caller's rights are attached. */
  private async sendIssued(transaction: Transaction, draft: Invoice, issued: Invoice): Promise<Invoice> {
    const { permission } = invoices.lifecycle.transitions.send;
    requirePermission(permission, { object: invoices.type });
    this.records.rules.rights.require(draft, permission);
    return this.records.transit(transaction, issued, 'send', {});
  }

  private async issue(row: Invoice, issueDate: string | undefined): Promise<Partial<Invoice>> {
    return this.records.unit(async (transaction) => {
      await this.sources.invoiced(row.lineItems);
      const issued = await this.issuing.issue(transaction, row, issueDate);
      await this.books.issued(issued);
      return this.dunning.follow(row, issued);
    });
  }

  private send(row: Invoice, { to, message = null }: SendInvoice): Partial<Invoice> {
    const sentTo = to ?? [row.customer?.email].filter((each) => typeof each === 'string');
    if (sentTo.length === 0) throw new Problem('recipient_missing', 'The customer has no address: name a recipient.');
    return { sentAt: this.records.rows.now(), sentTo, sentMessage: message };
  }

  private async pay(
    row: Invoice,
    { amountMinor, method = 'other', ...payment }: PayInvoice,
  ): Promise<Partial<Invoice>> {
    const before = await this.books.recovered(row);
    const paidMinor = amountMinor ?? before.balanceMinor;
    const changes = settled(before, { paidMinor });
    await this.desk.pay(before, { amountMinor: paidMinor, method, ...payment });
    return this.dunning.follow(row, changes);
  }

  private async credit(row: Invoice, input: CreditInvoice): Promise<Partial<Invoice>> {
    const { creditedMinor, releasedMinor } = await this.desk.credit(row, input);
    return this.dunning.follow(row, settled(row, { creditedMinor, paidMinor: -releasedMinor }));
  }

  private async void(row: Invoice, { reason }: VoidInvoice): Promise<Partial<Invoice>> {
    if (row.amountPaidMinor > 0 || row.amountCreditedMinor > 0) throw hasPayments();
    await this.sources.released(row.lineItems);
    await this.books.voided(row);
    return { voidedAt: this.records.rows.now(), voidReason: reason, ...ENDED };
  }

  private async writeOff(row: Invoice): Promise<Partial<Invoice>> {
    await this.books.writtenOff(row);
    return { writtenOffMinor: row.balanceMinor, balanceMinor: 0, ...ENDED };
  }

  /** Marks an open invoice as overdue after the due date. Does nothing if it is settled or deleted. */
  private async fallDue(id: string): Promise<void> {
    await this.records.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (!row || !OPEN_STATUSES.includes(row.status) || this.stateOf(row) !== 'overdue') return;
      const before = { ...row, overdueAt: null }; // as it was before it fell due
      const changes: Partial<Invoice> = { status: 'overdue', overdueAt: row.overdueAt };
      await this.records.rows.apply(transaction, before, changes, 'overdue', { move: 'fall_due' });
    });
  }
}

function keepTimer(transaction: Transaction, before: Invoice, after: Invoice): void {
  const [was, is] = [before, after].map(({ status }) => OPEN_STATUSES.includes(status));
  const timer = { kind: OVERDUE, key: after.id };
  if (is && !was) transaction.write(timerStatement({ ...timer, dueAt: after.overdueAt! }));
  if (was && !is) transaction.write(cancelStatement(timer));
}

function hasPayments(): Problem {
  return new Problem('has_payments', 'Money has been paid for the invoice, or credited: it cannot be voided.');
}
