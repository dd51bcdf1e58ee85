import { Injectable, type OnModuleInit } from '@nestjs/common';
import { callerOrNull, requirePermission } from '#libs/auth/current-principal.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { lineInputOf } from '#libs/lines/document-lines.js';
import type { LineView } from '#libs/lines/line.dto.js';
import type { Change, Decisions } from '#libs/resource/types/decisions.js';
import { GaplessSeries } from '#libs/resource/records/gapless-series.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { mustExist, visibilityChecksOf } from '#libs/resource/access/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { DOCUMENT_SERIES } from '#libs/settings/number-series.model.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { BusinessDay } from '../business-day.js';
import { EInvoices, viewOf } from '../e-invoices/e-invoices.js';
import { InvoiceSources } from '../invoices/invoice-sources.js';
import { alreadyBilled } from '../invoices/invoice.problems.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { balancedInBase, type JournalLine, Ledger, negated } from '../ledger/ledger.js';
import { PaymentsService } from '../payments/payments.service.js';
import { type CreditOutcome, type InvoiceCredit, type InvoiceFigures, SettlementDesk } from '../settlement-desk.js';
import { CreditNoteContent, tooMuch } from './credit-note-content.js';
import { excessOf, inBase, owed, used } from './credit-note-journals.js';
import type { IssueCreditNote, SendCreditNote, VoidCreditNote } from './credit-note.actions.js';
import { CreditNoteLetters } from './credit-note.letters.js';
import { type CreditNote, type CreditNoteInput, creditNotes, type ShownCreditNote } from './credit-note.js';
import type { CreditNoteAction } from './credit-note.lifecycle.js';
import { type CreditedInvoice, lockInvoice } from './credit-note.queries.js';

type CreditNoteDecisions = Decisions<CreditNote, ShownCreditNote, CreditNoteAction>;

const REFUND_GATE = 'payment.refund';
/** An invoiced product may be in the trash. */
const PRODUCT = { table: 'data.sales_products', where: 'true' };
/** Fields that are fixed once the note is issued. */
const FIXED = ['lineItems', 'amountMinor', 'reason', 'disposition'];
const NOT_CREDITED = ['draft', 'void', 'uncollectible'];

@Injectable()
export class CreditNotesService implements CreditNoteDecisions, OnModuleInit {
  readonly actions: CreditNoteDecisions['actions'] = {
    issue: (row, input: Partial<IssueCreditNote>) => this.issue(row, input),
    send: (row, input: SendCreditNote) => this.send(row, input),
    apply: (row, input: { invoice?: InvoiceFigures }) => this.applyTo(row, input),
    void: (row, input: VoidCreditNote) => this.void(row, input),
  };
  readonly constraints = {
    finance_credit_notes_within_invoice: tooMuch,
    finance_invoice_sources_pkey: alreadyBilled,
  };
  readonly records: Records<CreditNote, ShownCreditNote, CreditNoteAction>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly content: CreditNoteContent,
    private readonly invoices: InvoicesService,
    private readonly sources: InvoiceSources,
    private readonly payments: PaymentsService,
    private readonly ledger: Ledger,
    private readonly series: GaplessSeries,
    private readonly day: BusinessDay,
    private readonly desk: SettlementDesk,
    private readonly accounts: AccountsService,
    private readonly settings: TenantSettings,
    private readonly letters: CreditNoteLetters,
    private readonly eInvoices: EInvoices,
  ) {
    this.records = Records.of(creditNotes, kit, this);
  }

  onModuleInit(): void {
    this.accounts.merging.referredBy(this.records, 'accountId');
    this.desk.creditWith((invoice, credit) => this.creditLocked(invoice, credit));
  }

  async draft(input: CreditNoteInput & Pick<CreditNote, 'invoiceId'>): Promise<Draft<CreditNote>> {
    const { lineItems, amountMinor, ...fields } = input;
    const invoice = await this.invoiceOf(fields.invoiceId);
    mayRefund(fields.disposition);
    const { accountId, currency } = invoice;
    const content = await this.content.of(invoice, { lineItems, amountMinor });
    const draft: Partial<CreditNote> = { ...fields, accountId, currency, ...content };
    return draft as Draft<CreditNote>; // the rest has defaults
  }

  async edit(row: CreditNote, patch: CreditNoteInput): Promise<Partial<CreditNote>> {
    if (row.status !== 'draft' && FIXED.some((field) => field in patch))
      throw new Problem('record_locked', 'An issued credit note keeps its content.');
    const { lineItems, amountMinor, ...fields } = patch;
    mayRefund(fields.disposition);
    if (lineItems === undefined && amountMinor === undefined) return fields;
    return {
      ...fields,
      ...(await this.content.of(await this.invoiceOf(row.invoiceId), { lineItems, amountMinor }, row)),
    };
  }

  visibility({ lineItems = [] }: CreditNoteInput, before: Partial<CreditNote>): Statement[] {
    const known = productsOf(before.lineItems ?? []);
    const ids = productsOf(lineItems).filter((id) => !known.includes(id));
    return visibilityChecksOf(this.kit.registry, PRODUCT, '/lineItems', ids);
  }

  checks({ status, lineItems }: CreditNote, before: CreditNote | null): Statement[] {
    if (status !== 'draft' || lineItems === before?.lineItems) return [];
    const ids = productsOf(lineItems);
    return ids.length > 0 ? [mustExist(PRODUCT, '/lineItems', ids)] : [];
  }

  derive({ eInvoiceData }: CreditNote): Partial<ShownCreditNote> {
    return { mailStatus: null, eInvoice: viewOf(eInvoiceData) };
  }

  async detail(view: ShownCreditNote): Promise<ShownCreditNote> {
    return { ...view, mailStatus: await this.letters.stateOf(view.id) };
  }

  /** Queues the mails of a credit note that was sent. */
  async saved(transaction: Transaction, { after, event }: Change<CreditNote>): Promise<void> {
    if (event === 'sent')
      await this.letters.send(transaction, after, await this.invoices.records.readPlainly(after.invoiceId));
  }

  private async send(row: CreditNote, { to, message = null }: SendCreditNote): Promise<Partial<CreditNote>> {
    const { customer } = await this.records.unit(() => this.invoices.records.readPlainly(row.invoiceId));
    const sentTo = to ?? [customer?.email].filter((each) => typeof each === 'string');
    if (sentTo.length === 0) throw new Problem('recipient_missing', 'The customer has no address: name a recipient.');
    return { sentAt: this.records.rows.now(), sentTo, sentMessage: message };
  }

  private async issue(row: CreditNote, input: Partial<IssueCreditNote>): Promise<Partial<CreditNote>> {
    if (row.totalMinor <= 0)
      throw new Problem('required_fields_missing', 'The credit note comes to nothing.', {
        extensions: { missingFields: ['lineItems'] },
      });
    await this.day.requirePostable(input.issueDate, '/issueDate');
    return this.records.unit(async (transaction) => {
      const invoice = await lockedInvoice(transaction, row.invoiceId);
      if (NOT_CREDITED.includes(invoice.status))
        throw this.records.rules.refusal(row, 'issue', `The invoice is ${invoice.status}: there is nothing to credit.`);
      const issueDate = input.issueDate ?? (await this.day.todayFrom(invoice.issueDate));
      refuseOlder(issueDate, invoice);
      const creditable = await this.content.creditableOf(invoice);
      const { taxInclusive, lineItems } = row;
      const own = { taxInclusive, lineItems: lineItems.map(lineInputOf) };
      const content = await this.content.workedOut(invoice, creditable, own, row);
      const worth = inBase({ ...row, ...content }, invoice, creditable);
      this.post(transaction, row, issueDate, owed({ ...row, ...content, ...worth }));
      if (content.totalMinor === creditable.leftMinor) await this.sources.released(invoice.lineItems);
      const { lineItems: credited = [] } = content;
      const { customer, seller, purchaseRef } = await this.invoices.records.readPlainly(invoice.id);
      const eInvoiceData = await this.eInvoices.issued({
        ...{ currency: row.currency, lineItems: credited, customer, purchaseRef },
        seller: seller!, // it has been issued
      });
      const { creditNote } = (await this.settings.get()).finance.series;
      const series = { series: DOCUMENT_SERIES.creditNote, ...creditNote };
      const { number } = await this.series.take(transaction, series, issueDate);
      return { ...content, ...worth, number, issueDate, eInvoiceData };
    });
  }

  /**
   * Applies the credit to the invoice. `input.invoice` is an invoice that the caller has locked and settles itself, in
   * its previous state.
   */
  private async applyTo(row: CreditNote, input: { invoice?: InvoiceFigures }): Promise<Partial<CreditNote>> {
    await this.records.unit(async (transaction) => {
      const before = input.invoice ?? (await lockedInvoice(transaction, row.invoiceId));
      const excess = excessOf(row, before);
      if (excess > 0 && row.disposition === 'reduce_balance')
        throw new Problem('amount_exceeds_balance', 'The credit note is larger than the balance of its invoice.');
      if (excess > 0 && row.disposition === 'refund') await this.meetRefundGate(row, excess);
      if (!input.invoice) {
        const { currency } = row;
        const change = { currency, creditedMinor: row.totalMinor, paidMinor: -excess, event: 'credited' } as const;
        await this.invoices.settle(row.invoiceId, change);
      }
      const released = excess > 0 ? await this.payments.releaseFrom(before, excess) : [];
      const paid = { ...before, amountPaidMinor: before.amountPaidMinor - excess };
      this.post(transaction, row, await this.day.todayFrom(row.issueDate), used(row, paid));
      if (row.disposition === 'refund')
        for (const { paymentId, amountMinor } of released)
          await this.payments.records.follow('refund', paymentId, { amountMinor, reason: row.reason });
    });
    return { appliedAt: this.records.rows.now() };
  }

  /** @throws Problem 403 `gate_denied` if the tenant has a gate for refunds, which a credit note must not bypass. */
  private async meetRefundGate({ currency, reason, accountId }: CreditNote, amountMinor: number): Promise<void> {
    const facts = { amountMinor, currency, reason, accountId };
    if (!(await this.kit.gates.holding(REFUND_GATE, () => facts))) return;
    throw new Problem('gate_denied', 'Refunds need approval: leave it as credit, and refund the payment.', {
      extensions: { gate: REFUND_GATE },
    });
  }

  private async void(row: CreditNote, { reason }: VoidCreditNote): Promise<Partial<CreditNote>> {
    const today = await this.day.todayFrom(row.issueDate);
    await this.records.unit(async (transaction) => {
      const invoice = await lockedInvoice(transaction, row.invoiceId);
      const { leftMinor } = await this.content.creditableOf(invoice);
      this.post(transaction, row, today, negated(owed(row)));
      if (leftMinor === 0) await this.sources.invoicedAgain(invoice.lineItems);
    });
    return { voidedAt: this.records.rows.now(), voidReason: reason };
  }

  /** Credits an invoice that the caller has locked and settles itself. */
  private async creditLocked(invoice: InvoiceFigures, credit: InvoiceCredit): Promise<CreditOutcome> {
    const { amountMinor, lineItems, reason } = credit;
    const { id } = await this.records.create({
      invoiceId: invoice.id,
      reason,
      disposition: 'account_credit',
      ...(lineItems ? { lineItems } : {}),
      ...(amountMinor === undefined ? {} : { amountMinor }),
    });
    await this.records.follow('issue', id);
    const note = await this.records.follow('apply', id, { invoice });
    return { creditedMinor: note.totalMinor, releasedMinor: excessOf(note, invoice) };
  }

  /** @throws Problem 400 if the invoice does not exist. */
  private async invoiceOf(invoiceId: string): Promise<InvoiceFigures> {
    try {
      return await this.invoices.records.read(invoiceId);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
      throw Problem.validation([
        { pointer: '/invoiceId', code: 'unknown_reference', detail: 'There is no such record.' },
      ]);
    }
  }

  private post(transaction: Transaction, row: CreditNote, entryDate: string, lines: readonly JournalLine[]): void {
    const { id, currency } = row;
    const source = { object: creditNotes.type, id };
    this.ledger.post(transaction, { entryDate, currency, source, lines: balancedInBase(lines) });
  }
}

async function lockedInvoice(transaction: Transaction, id: string): Promise<CreditedInvoice> {
  const [invoice] = await transaction.query<CreditedInvoice>(lockInvoice(id));
  return invoice!;
}

/** @throws Problem 400 for a credit note that would be older than its invoice. */
function refuseOlder(issueDate: string, { number, issueDate: since }: InvoiceFigures): void {
  if (since === null || issueDate >= since) return;
  const detail = `The invoice ${number} is of ${since}: a credit note is not older than its invoice.`;
  throw Problem.validation([{ pointer: '/issueDate', code: 'out_of_range', detail }]);
}

function productsOf(lines: readonly Partial<Pick<LineView, 'productId'>>[]): string[] {
  return [...new Set(lines.flatMap(({ productId }) => productId ?? []))];
}

/** @throws Problem 403 for a refund without the required permission. */
function mayRefund(disposition: CreditNote['disposition'] | undefined): void {
  if (disposition === 'refund' && callerOrNull()) requirePermission('payments:refund');
}
