import { Injectable } from '@nestjs/common';
import { callerOrNull, requirePermission } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { documentLines, lineInputOf, ratesOf, taxRateIdsOf } from '#libs/lines/document-lines.js';
import type { LineInput, LineView } from '#libs/lines/line.dto.js';
import { GaplessSeries } from '#libs/resource/gapless-series.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { mustExist, visibilityChecksOf } from '#libs/resource/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { BusinessDay } from '../business-day.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { baseShare } from '../ledger/base-share.js';
import { converted } from '../ledger/exchange.js';
import { balancedInBase, type JournalLine, Ledger, negated } from '../ledger/ledger.js';
import { PaymentsService } from '../payments/payments.service.js';
import { type CreditOutcome, type InvoiceCredit, type InvoiceFigures, SettlementDesk } from '../settlement-desk.js';
import { TaxRatesService } from '../tax-rates/tax-rates.service.js';
import { type CreditLines, shareOfInvoice, wholeInvoice } from './credit-lines.js';
import { Creditable } from './creditable.js';
import type { CreateCreditNote, CreditNoteView, IssueCreditNote, VoidCreditNote } from './credit-note.dto.js';
import type { CreditNote } from './credit-note.entity.js';
import type { CreditNoteAction } from './credit-note.lifecycle.js';
import { creditNoteResource } from './credit-note.resource.js';
import { CreditNotesRepository } from './credit-notes.repository.js';

type Input = Record<string, unknown>;

const SERIES = { series: 'finance.credit_note', pattern: 'CN-{YYYY}-{seq:5}', resets: 'yearly' } as const;
const REFUND_GATE = 'payment.refund';
const PRODUCT = { table: 'data.sales_products', where: 'true' };
/** Fields that are fixed once it is issued. */
const FIXED = ['lineItems', 'amountMinor', 'reason', 'disposition'];

@Injectable()
export class CreditNotesService extends ResourceService<CreditNote, CreditNoteView, CreditNoteAction> {
  protected override readonly handlers: Partial<Record<'issue' | 'apply' | 'void', ActionHandler<CreditNote>>> = {
    issue: (row, input: Partial<IssueCreditNote>) => this.issue(row, input),
    apply: (row, input: { invoice?: InvoiceFigures }) => this.applyTo(row, input),
    void: (row, input: VoidCreditNote) => this.void(row, input),
  };
  protected override readonly constraints = {
    finance_credit_notes_within_invoice: tooMuch,
  };

  constructor(
    kit: ResourceKit,
    private readonly notes: CreditNotesRepository,
    private readonly invoices: InvoicesService,
    private readonly payments: PaymentsService,
    private readonly rates: TaxRatesService,
    private readonly ledger: Ledger,
    private readonly series: GaplessSeries,
    private readonly day: BusinessDay,
    private readonly desk: SettlementDesk,
    private readonly accounts: AccountsService,
  ) {
    super(creditNoteResource, kit, notes);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.accounts.merging.referredBy(this, 'accountId');
    this.desk.creditWith((invoice, credit) => this.creditLocked(invoice, credit));
  }

  protected override async draft(body: Input): Promise<Draft<CreditNote>> {
    const input = body as Partial<CreateCreditNote> & Pick<CreateCreditNote, 'invoiceId' | 'reason'>; // validated
    const invoice = await this.invoiceOf(input.invoiceId);
    const disposition = input.disposition ?? 'reduce_balance';
    mayRefund(disposition);
    return super.draft({
      name: input.name ?? 'Credit note',
      invoiceId: invoice.id,
      accountId: invoice.accountId,
      currency: invoice.currency,
      reason: input.reason,
      disposition,
      ...(await this.content(invoice, input)),
    });
  }

  protected override expectVisible(transaction: Transaction, input: Input, before: Partial<CreditNote> = {}): void {
    super.expectVisible(transaction, input, before);
    const { lineItems = [] } = input as Partial<CreateCreditNote>;
    const known = productsOf(before.lineItems ?? []);
    const ids = productsOf(lineItems).filter((id) => !known.includes(id));
    for (const check of visibilityChecksOf(this.kit.registry, PRODUCT, '/lineItems', ids)) transaction.write(check);
  }

  protected override add(transaction: Transaction, row: CreditNote): CreditNoteView {
    expectProducts(transaction, row.lineItems);
    return super.add(transaction, row);
  }

  protected override async edit(row: CreditNote, patch: Input): Promise<Partial<CreditNote>> {
    if (row.status !== 'draft' && FIXED.some((field) => field in patch))
      throw new Problem('record_locked', 'An issued credit note keeps its content.');
    const { lineItems, amountMinor, ...fields } = patch as Partial<CreateCreditNote>;
    if (fields.disposition) mayRefund(fields.disposition);
    if (lineItems === undefined && amountMinor === undefined) return fields;
    const content = await this.content(await this.invoiceOf(row.invoiceId), { lineItems, amountMinor }, row);
    await this.kit.database.transaction(async (transaction) => expectProducts(transaction, content.lineItems ?? []));
    return { ...(fields as Partial<CreditNote>), ...content };
  }

  private async issue(row: CreditNote, input: Partial<IssueCreditNote>): Promise<Partial<CreditNote>> {
    if (row.totalMinor <= 0)
      throw new Problem('required_fields_missing', 'The credit note comes to nothing.', {
        extensions: { missingFields: ['lineItems'] },
      });
    const issueDate = input.issueDate ?? (await this.day.today());
    return this.kit.database.transaction(async (transaction) => {
      const invoice = await this.notes.lockInvoice(transaction, row.invoiceId);
      if (['draft', 'void', 'uncollectible'].includes(invoice.status))
        throw this.refusal(row, 'issue', `The invoice is ${invoice.status}: there is nothing to credit.`);
      const creditable = await this.creditableOf(invoice);
      const { taxInclusive, lineItems } = row;
      const own = { taxInclusive, lineItems: lineItems.map(lineInputOf) };
      const content = await this.workedOut(invoice, creditable, own, row);
      const worth = inBase({ ...row, ...content }, invoice, creditable);
      this.post(transaction, row, issueDate, owed({ ...row, ...content, ...worth }));
      const { number } = await this.series.take(transaction, SERIES, issueDate);
      return { ...content, ...worth, number, issueDate };
    });
  }

  /** Sets the credit against the invoice; `input.invoice` is one that the caller settles itself, locked, as it was. */
  private async applyTo(row: CreditNote, input: { invoice?: InvoiceFigures }): Promise<Partial<CreditNote>> {
    await this.kit.database.transaction(async (transaction) => {
      const before = input.invoice ?? (await this.notes.lockInvoice(transaction, row.invoiceId));
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
      this.post(transaction, row, await this.day.today(), used(row, paid));
      if (row.disposition === 'refund')
        for (const { paymentId, amountMinor } of released)
          await this.payments.records.follow('refund', paymentId, { amountMinor, reason: row.reason });
    });
    return { appliedAt: this.now() };
  }

  /** @throws Problem 403 `gate_denied` where the tenant has refunds denied or approved: a credit note is no way around. */
  private async meetRefundGate({ currency, reason, accountId }: CreditNote, amountMinor: number): Promise<void> {
    const facts = { amountMinor, currency, reason, accountId };
    if (!(await this.kit.gates.holding(REFUND_GATE, () => facts))) return;
    throw new Problem('gate_denied', 'Refunds need approval: leave it as credit, and refund the payment.', {
      extensions: { gate: REFUND_GATE },
    });
  }

  private async void(row: CreditNote, { reason }: VoidCreditNote): Promise<Partial<CreditNote>> {
    const today = await this.day.today();
    await this.kit.database.transaction(async (transaction) => this.post(transaction, row, today, negated(owed(row))));
    return { voidedAt: this.now(), voidReason: reason };
  }

  /** Credits an invoice that the caller has locked and settles itself. */
  private async creditLocked(invoice: InvoiceFigures, credit: InvoiceCredit): Promise<CreditOutcome> {
    const { amountMinor, lineItems, reason } = credit;
    const { id } = await this.create({
      invoiceId: invoice.id,
      reason,
      disposition: 'account_credit',
      ...(lineItems ? { lineItems } : {}),
      ...(amountMinor === undefined ? {} : { amountMinor }),
    });
    await this.follow('issue', id);
    const note = await this.follow('apply', id, { invoice });
    return { creditedMinor: note.totalMinor, releasedMinor: excessOf(note, invoice) };
  }

  /** Lines and sums: from lines, from an amount, or whatever is left of the invoice. */
  private async content(
    invoice: InvoiceFigures,
    { lineItems, amountMinor }: { lineItems?: LineInput[] | undefined; amountMinor?: number | undefined },
    present?: CreditNote,
  ): Promise<Partial<CreditNote>> {
    if (lineItems && amountMinor !== undefined)
      throw Problem.validation([
        { pointer: '/amountMinor', code: 'not_with_line_items', detail: 'Give lines or an amount, not both.' },
      ]);
    const creditable = await this.creditableOf(invoice);
    const source = lineItems
      ? { lineItems, taxInclusive: invoice.taxInclusive }
      : linesOf(invoice, creditable, amountMinor);
    return this.workedOut(invoice, creditable, source, present);
  }

  /** What lines come to beside what has been credited so far. @throws Problem 409 for more than is left of the invoice. */
  private async workedOut(
    invoice: InvoiceFigures,
    creditable: Creditable,
    { lineItems, taxInclusive }: CreditLines,
    present?: CreditNote,
  ): Promise<Partial<CreditNote>> {
    const known = new Map([...ratesOf(present?.lineItems ?? []), ...ratesOf(invoice.lineItems)]);
    const others = taxRateIdsOf(lineItems).filter((id) => !known.has(id));
    const { header, ...lines } = documentLines(lineItems, {
      taxInclusive,
      taxRounding: (tax, price) => creditable.taxOf(tax, price, taxInclusive),
      rates: new Map([...(await this.rates.choose(others)), ...known]),
      present: present?.lineItems ?? [],
    });
    creditable.expect(lines.lineItems);
    const { subtotalMinor, discountMinor, taxMinor, totalMinor } = header;
    if (totalMinor > creditable.leftMinor) throw tooMuch();
    return { ...lines, subtotalMinor, discountMinor, taxMinor, totalMinor, taxInclusive };
  }

  private async creditableOf({ id, lineItems }: InvoiceFigures): Promise<Creditable> {
    return new Creditable(lineItems, await this.notes.creditedLines(id));
  }

  /** @throws Problem 400 when there is no such invoice. */
  private async invoiceOf(invoiceId: string): Promise<InvoiceFigures> {
    try {
      return await this.invoices.read(invoiceId);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
      throw Problem.validation([
        { pointer: '/invoiceId', code: 'unknown_reference', detail: 'There is no such record.' },
      ]);
    }
  }

  private post(
    transaction: Transaction,
    { id, currency }: CreditNote,
    entryDate: string,
    lines: readonly JournalLine[],
  ): void {
    this.ledger.post(transaction, {
      entryDate,
      currency,
      source: { object: 'finance.credit_note', id },
      lines: balancedInBase(lines),
    });
  }
}

function productsOf(lines: readonly Partial<Pick<LineView, 'productId'>>[]): string[] {
  return [...new Set(lines.flatMap(({ productId }) => productId ?? []))];
}

/** Lines name products that exist, if any: one that was invoiced may be in the trash by now. */
function expectProducts(transaction: Transaction, lines: readonly LineView[]): void {
  const ids = productsOf(lines);
  if (ids.length > 0) transaction.write(mustExist(PRODUCT, '/lineItems', ids));
}

/** Lines that come to an amount, or to whatever is left. @throws Problem 409 for more than that. */
function linesOf(invoice: InvoiceFigures, creditable: Creditable, amountMinor: number | undefined): CreditLines {
  const { leftMinor } = creditable;
  const wanted = amountMinor ?? leftMinor;
  if (wanted > leftMinor) throw tooMuch();
  return wanted === invoice.totalMinor ? wholeInvoice(invoice) : shareOfInvoice(invoice, creditable.left(), wanted);
}

/** What a credit is worth in the tenant's currency: credits that add up to the whole are worth what the whole is. */
function inBase({ totalMinor, taxMinor }: CreditNote, invoice: InvoiceFigures, { leftMinor, tax }: Creditable) {
  const { currency, exchangeRate } = invoice;
  const baseTax =
    exchangeRate === null ? null : converted(tax.chargedMinor, currency, exchangeRate, currentTenant().currency);
  const credited = invoice.totalMinor - leftMinor;
  return {
    baseTotalMinor: baseShare(invoice, credited, credited + totalMinor),
    baseTaxMinor: baseShare(
      { totalMinor: tax.chargedMinor, baseTotalMinor: baseTax },
      tax.creditedMinor,
      tax.creditedMinor + taxMinor,
    ),
  };
}

/** Issued: revenue and tax go down, and the customer is owed the total. */
function owed(row: CreditNote): JournalLine[] {
  const { totalMinor, taxMinor, accountId } = row;
  const base = row.baseTotalMinor ?? totalMinor;
  const baseTax = row.baseTaxMinor ?? taxMinor;
  return [
    { account: 'revenue', amountMinor: totalMinor - taxMinor, baseMinor: base - baseTax },
    { account: 'tax', amountMinor: taxMinor, baseMinor: baseTax },
    { account: 'customer_credit', amountMinor: -totalMinor, baseMinor: -base, accountId },
  ];
}

/** Applied: what the customer is owed goes off what the customer owes. `invoice` is as it stands before. */
function used({ totalMinor, baseTotalMinor, accountId }: CreditNote, invoice: InvoiceFigures): JournalLine[] {
  const settled = invoice.amountPaidMinor + invoice.amountCreditedMinor + invoice.writtenOffMinor;
  const baseMinor = baseShare(invoice, settled, settled + totalMinor);
  const { id: invoiceId } = invoice;
  return [
    { account: 'customer_credit', amountMinor: totalMinor, baseMinor: baseTotalMinor ?? totalMinor, accountId },
    { account: 'receivable', amountMinor: -totalMinor, baseMinor: -baseMinor, accountId: invoice.accountId, invoiceId },
  ];
}

/** What of a credit has been paid already. */
function excessOf({ totalMinor }: { totalMinor: number }, invoice: InvoiceFigures): number {
  const { amountPaidMinor, amountCreditedMinor, writtenOffMinor } = invoice;
  const balance = invoice.totalMinor - amountPaidMinor - amountCreditedMinor - writtenOffMinor;
  return Math.max(0, totalMinor - balance);
}

/** @throws Problem 403 when the caller would refund without the right to. */
function mayRefund(disposition: string): void {
  if (disposition === 'refund' && callerOrNull()) requirePermission('payments:refund');
}

function tooMuch(): Problem {
  return new Problem('amount_exceeds_balance', 'More would be credited than the invoice comes to.');
}
