import { Injectable } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Automations } from '#libs/automation/automations.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { toMajor } from '#libs/kernel/money.js';
import { Problem } from '#libs/kernel/problem.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { unsaid } from '#libs/resource/references.js';
import type { Draft } from '#libs/resource/record.entity.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { BusinessDay } from '../business-day.js';
import { Ledger, type JournalLine, negated } from '../ledger/ledger.js';
import { type InvoiceFigures, SettlementDesk } from '../settlement-desk.js';
import { InvoiceDrafts } from './invoice-drafts.js';
import { exchangeOf, OPEN_STATUSES, settled, type Settlement, statusAt } from './invoice-figures.js';
import { InvoiceIssuing } from './invoice-issuing.js';
import { issueLines, writeOffLines } from './invoice-journals.js';
import { InvoiceSources } from './invoice-sources.js';
import type { CreditInvoice, IssueInvoice, PayInvoice, SendInvoice, VoidInvoice } from './invoice-actions.dto.js';
import type { CreateInvoice, InvoiceView } from './invoice.dto.js';
import type { Invoice } from './invoice.entity.js';
import type { InvoiceAction, InvoiceStatus } from './invoice.lifecycle.js';
import { invoiceResource } from './invoice.resource.js';
import { InvoicesRepository } from './invoices.repository.js';

type Input = Record<string, unknown>;
type OwnAction = Exclude<InvoiceAction, StandardAction>;
type Why = { reason?: string | null; riskLevel?: 'low' | 'medium' | 'high' | undefined; move?: string | null };

const OVERDUE = 'finance.invoice.overdue';
const UNSETTLED: readonly InvoiceStatus[] = ['draft', 'void'];

/** What comes in for an invoice, or goes back; it must be in the invoice's currency and for its account. */
export interface SettlementOf extends Settlement {
  currency: string;
  accountId?: string | null;
  /** Verb of the event; `payment_recorded`, or `payment_released` for what goes back, if not given. */
  event?: string;
}

@Injectable()
export class InvoicesService extends ResourceService<Invoice, InvoiceView, InvoiceAction> {
  protected override readonly handlers: Partial<Record<OwnAction, ActionHandler<Invoice>>> = {
    issue: (row, input: IssueInvoice) => this.issue(row, input),
    send: (row, input: SendInvoice) => this.sending(row, input),
    pay: (row, input: PayInvoice) => this.pay(row, input),
    credit: (row, input: CreditInvoice) => this.credit(row, input),
    void: (row, input: VoidInvoice) => this.void(row, input),
    write_off: (row) => this.writeOff(row),
  };
  protected override readonly constraints = {
    finance_invoices_void_without_credit: hasPayments,
    finance_invoice_sources_pkey: () =>
      new Problem('source_already_billed', 'Another invoice that is not void charges for one of the sources.'),
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: InvoicesRepository,
    private readonly drafts: InvoiceDrafts,
    private readonly issuing: InvoiceIssuing,
    private readonly sources: InvoiceSources,
    private readonly ledger: Ledger,
    private readonly desk: SettlementDesk,
    private readonly accounts: AccountsService,
    private readonly deals: DealsService,
    private readonly automations: Automations,
    private readonly day: BusinessDay,
  ) {
    super(invoiceResource, kit, repository);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.accounts.merging.referredBy(this, 'accountId');
    this.deals.heldBy(async (dealId) => {
      const number = await this.repository.numberOfDeal(dealId);
      return number && `The invoice ${number} charges for the deal.`;
    });
    this.automations.timer({ kind: OVERDUE, fire: (id) => this.fallDue(id) });
  }

  /** A new draft with the customer and the lines of an invoice. @throws Problem 404. */
  async duplicate(id: string): Promise<InvoiceView> {
    return this.create(unsaid(await this.drafts.copyOf(await this.read(id))));
  }

  /** A patch of the status to `paid` is a payment, which may or may not pay everything. */
  override async update(id: string, patch: Input): Promise<InvoiceView> {
    return super.update(id, patch['status'] === 'paid' ? { ...patch, status: 'partially_paid' } : patch);
  }

  /**
   * Settles a part of an issued invoice, as a consequence of a payment or a credit note that is made in the open
   * transaction. Answers the invoice as it was before; a write-off that a payment takes back is taken back already.
   * @throws Problem 404; 409 when the invoice takes no settlement, or not this one.
   */
  async settle(id: string, settlement: SettlementOf): Promise<InvoiceFigures> {
    const { currency, accountId = null, paidMinor = 0 } = settlement;
    return this.unit(async (transaction) => {
      const row = await this.lockPlainly(transaction, id);
      if (UNSETTLED.includes(row.status)) throw this.refusal(row, 'pay');
      if (row.currency !== currency) throw new Problem('currency_mismatch', `The invoice is in ${row.currency}.`);
      if (accountId !== null && row.accountId !== null && accountId !== row.accountId)
        throw new Problem('account_mismatch', 'The invoice charges another account.');
      const before = await this.recovered(row);
      const event = settlement.event ?? (paidMinor < 0 ? 'payment_released' : 'payment_recorded');
      this.apply(transaction, row, settled(before, settlement), event, { move: paidMinor < 0 ? 'release' : 'pay' });
      return before;
    });
  }

  protected override stateOf(row: Invoice): string {
    return statusAt(row, this.kit.clock.nowMs());
  }

  protected override derive(row: Invoice): Partial<InvoiceView> {
    const status = statusAt(row, this.kit.clock.nowMs());
    return {
      status,
      isOverdue: status === 'overdue',
      amount: toMajor(row.totalMinor, row.currency),
      exchange: exchangeOf(row),
      dunning: { paused: row.dunningPaused },
    };
  }

  protected override draft(input: Input): Promise<Draft<Invoice>> {
    return this.drafts.draft(input);
  }

  /** An issued invoice only takes notes to self and what every record has around its content. */
  protected override edit(row: Invoice, patch: Input): Promise<Partial<Invoice>> {
    const fixed = Object.keys(patch).filter((field) => field !== 'notes' && field !== 'dunning');
    if (row.status !== 'draft' && fixed.length > 0)
      throw new Problem('record_locked', `The invoice has been issued: ${fixed.join(', ')} cannot change any more.`);
    return this.drafts.edit(row, patch);
  }

  protected override expectVisible(transaction: Transaction, input: Input, before: Partial<Invoice> = {}): void {
    super.expectVisible(transaction, input, before);
    const { lineItems = [] } = input as Partial<CreateInvoice>;
    for (const check of this.sources.visibilityChecks(lineItems, before.lineItems)) transaction.write(check);
  }

  protected override add(transaction: Transaction, row: Invoice): InvoiceView {
    for (const check of this.sources.checks(row.lineItems)) transaction.write(check);
    return super.add(transaction, row);
  }

  /** Also keeps the timer of the due date, and tells when nothing is open any more. */
  protected override apply(
    transaction: Transaction,
    row: Invoice,
    changes: Partial<Invoice>,
    event: string,
    why: Why = {},
  ): InvoiceView {
    const after = { ...row, ...changes };
    if (changes.lineItems)
      for (const check of this.sources.checks(after.lineItems, row.lineItems)) transaction.write(check);
    const shown = super.apply(transaction, row, changes, event, why);
    this.keepTimer(transaction, row, after);
    if (after.status !== 'paid' || row.status === 'paid' || event === 'issued') return shown;
    return super.apply(transaction, { ...after, version: row.version + 1 }, { paidAt: this.now() }, 'paid');
  }

  protected override async transit(
    transaction: Transaction,
    row: Invoice,
    action: InvoiceAction,
    input: Input,
  ): Promise<InvoiceView> {
    const shown = await super.transit(transaction, row, action, input);
    if (action !== 'issue' || input['send'] !== true) return shown;
    const { permission } = invoiceResource.lifecycle.transitions.send;
    requirePermission(permission, { object: invoiceResource.type });
    this.rights.require(row, permission);
    return super.transit(transaction, await this.lockPlainly(transaction, row.id), 'send', {});
  }

  private async issue(row: Invoice, { issueDate }: IssueInvoice): Promise<Partial<Invoice>> {
    return this.kit.database.transaction(async (transaction) => {
      await this.sources.invoiced(row.lineItems);
      const issued = await this.issuing.issue(transaction, row, issueDate);
      this.post(transaction, row, issued.issueDate!, issueLines(issued));
      return issued;
    });
  }

  private sending(row: Invoice, { to, message = null }: SendInvoice): Partial<Invoice> {
    const sentTo = to ?? [row.customer?.email].filter((each) => typeof each === 'string');
    if (sentTo.length === 0) throw new Problem('recipient_missing', 'The customer has no address: name a recipient.');
    return { sentAt: this.now(), sentTo, sentMessage: message };
  }

  private async pay(
    row: Invoice,
    { amountMinor, method = 'other', ...payment }: PayInvoice,
  ): Promise<Partial<Invoice>> {
    const before = await this.recovered(row);
    const paidMinor = amountMinor ?? before.balanceMinor;
    const changes = settled(before, { paidMinor });
    await this.desk.pay(before, { amountMinor: paidMinor, method, ...payment });
    return changes;
  }

  private async credit(row: Invoice, input: CreditInvoice): Promise<Partial<Invoice>> {
    const { creditedMinor, releasedMinor } = await this.desk.credit(row, input);
    return settled(row, { creditedMinor, paidMinor: -releasedMinor });
  }

  private async void(row: Invoice, { reason }: VoidInvoice): Promise<Partial<Invoice>> {
    if (row.amountPaidMinor > 0 || row.amountCreditedMinor > 0) throw hasPayments();
    await this.sources.released(row.lineItems);
    await this.postToday(row, negated(issueLines(row)));
    return { voidedAt: this.now(), voidReason: reason };
  }

  private async writeOff(row: Invoice): Promise<Partial<Invoice>> {
    await this.postToday(row, writeOffLines(row));
    return { writtenOffMinor: row.balanceMinor, balanceMinor: 0 };
  }

  /** An invoice without its write-off, the journal of which is taken back. */
  private async recovered(row: Invoice): Promise<Invoice> {
    if (row.status !== 'uncollectible') return row;
    await this.postToday(row, negated(writeOffLines(row)));
    return { ...row, writtenOffMinor: 0, balanceMinor: row.writtenOffMinor };
  }

  /** Marks an open invoice whose due date has passed. Does nothing with one that is settled or gone by now. */
  private async fallDue(id: string): Promise<void> {
    await this.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (!row || !OPEN_STATUSES.includes(row.status) || this.stateOf(row) !== 'overdue') return;
      const before = { ...row, overdueAt: null }; // as it was before it fell due
      const { overdueAt } = row;
      this.apply(transaction, before, { status: 'overdue', overdueAt }, 'overdue', { move: 'fall_due' });
    });
  }

  private keepTimer(transaction: Transaction, before: Invoice, after: Invoice): void {
    const [was, is] = [before, after].map(({ status }) => OPEN_STATUSES.includes(status));
    const timer = { kind: OVERDUE, key: after.id };
    if (is && !was) transaction.write(timerStatement({ ...timer, dueAt: after.overdueAt! }));
    if (was && !is) transaction.write(cancelStatement(timer));
  }

  private async postToday(row: Invoice, lines: JournalLine[]): Promise<void> {
    const today = await this.day.today();
    await this.kit.database.transaction(async (transaction) => this.post(transaction, row, today, lines));
  }

  private post(transaction: Transaction, row: Invoice, entryDate: string, lines: JournalLine[]): void {
    const source = { object: invoiceResource.type, id: row.id };
    this.ledger.post(transaction, { entryDate, currency: row.currency, source, lines });
  }
}

function hasPayments(): Problem {
  return new Problem('has_payments', 'Money has been paid for the invoice, or credited: it cannot be voided.');
}
