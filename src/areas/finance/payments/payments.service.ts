import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { mustExist, visibilityChecksOf } from '#libs/resource/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { BusinessDay } from '../business-day.js';
import { InvoicesService, type SettlementOf } from '../invoices/invoices.service.js';
import { Ledger, type JournalLine } from '../ledger/ledger.js';
import { type InvoiceFigures, type InvoicePayment, SettlementDesk } from '../settlement-desk.js';
import { PaymentJournals, type InvoicePart } from './payment-journals.js';
import { hasArrived, only, paymentOf, providerColumns, unknownInvoice } from './payment-parts.js';
import { allocationFaults, merged, rateFaults, rateInto, refuse, takenBack, totalOf } from './payment-rules.js';
import type {
  AllocatePayment,
  CreatePayment,
  FailPayment,
  PayInvoiceInput,
  PaymentAllocation,
  PaymentView,
  RefundPayment,
  SucceedPayment,
} from './payment.dto.js';
import type { Payment } from './payment.entity.js';
import type { PaymentAction } from './payment.lifecycle.js';
import { paymentResource } from './payment.resource.js';
import { PaymentsRepository } from './payments.repository.js';

type Input = Record<string, unknown>;
type OwnAction = Exclude<PaymentAction, StandardAction>;

const INVOICE = { table: 'data.finance_invoices' };

/** Fields that are fixed once the money has moved. */
const FIXED = ['accountId', 'amountMinor', 'currency', 'exchangeRate', 'receivedDate', 'provider', 'allocations'];

/** The body of `succeed`; `invoice` is one that the caller settles itself, locked, as it stands before. */
type Success = Partial<SucceedPayment> & { invoice?: InvoiceFigures };

@Injectable()
export class PaymentsService extends ResourceService<Payment, PaymentView, PaymentAction> {
  protected override readonly handlers: Partial<Record<OwnAction, ActionHandler<Payment>>> = {
    succeed: (row, input: Success) => this.succeed(row, input),
    fail: (_, { reason }: FailPayment) => ({ reason, settledAt: this.now() }),
    cancel: (_, { reason }: Partial<FailPayment>) => ({ reason: reason ?? null, settledAt: this.now() }),
    allocate: (row, input: AllocatePayment) => this.allocate(row, input),
    refund: (row, input: RefundPayment) => this.refund(row, input),
    release: (row, part: PaymentAllocation & { invoice: InvoiceFigures }) => this.release(row, part),
  };
  protected override readonly constraints = {
    finance_payments_provider_once: () =>
      new Problem('duplicate', 'Another payment has the same id at the provider.', {
        extensions: { field: 'provider' },
      }),
  };

  constructor(
    kit: ResourceKit,
    private readonly payments: PaymentsRepository,
    private readonly invoices: InvoicesService,
    private readonly ledger: Ledger,
    private readonly day: BusinessDay,
    private readonly desk: SettlementDesk,
    private readonly accounts: AccountsService,
  ) {
    super(paymentResource, kit, payments);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.accounts.merging.referredBy(this, 'accountId');
    this.desk.payWith((invoice, payment) => this.payLocked(invoice, payment));
  }

  /** A new payment; one that has arrived already is made and then takes that step. */
  override async create(input: Input): Promise<PaymentView> {
    const { status, ...body } = input;
    return status === 'succeeded' ? this.arrive(body) : super.create(body);
  }

  /** Records money that has come in for one invoice. @throws Problem 404, 409. */
  async payInvoice(invoiceId: string, input: Partial<PayInvoiceInput>): Promise<PaymentView> {
    const invoice = await this.invoices.read(invoiceId);
    const { totalMinor, amountPaidMinor, amountCreditedMinor } = invoice;
    const amountMinor = input.amountMinor ?? totalMinor - amountPaidMinor - amountCreditedMinor;
    if (amountMinor <= 0) throw new Problem('amount_exceeds_balance', 'There is nothing to pay on the invoice.');
    const body = paymentOf(invoice, { ...input, amountMinor });
    return this.arrive(body, { allocations: [{ invoiceId, amountMinor }] });
  }

  /** Takes an amount off what has been paid of a locked invoice, the newest payment first; the customer's credit now. */
  async releaseFrom(
    invoice: InvoiceFigures,
    amountMinor: number,
  ): Promise<{ paymentId: string; amountMinor: number }[]> {
    return this.unit(async (transaction) => {
      const released: { paymentId: string; amountMinor: number }[] = [];
      let rest = amountMinor;
      let before = invoice;
      for (const paying of await this.payments.paying(transaction, invoice.id)) {
        const taken = Math.min(rest, paying.amountMinor);
        if (taken === 0) break;
        const part = { invoiceId: invoice.id, amountMinor: taken, invoice: before };
        await this.follow('release', paying.paymentId, part); // the action's own input
        released.push({ paymentId: paying.paymentId, amountMinor: taken });
        before = { ...before, amountPaidMinor: before.amountPaidMinor - taken };
        rest -= taken;
      }
      return released;
    });
  }

  protected override derive(row: Payment): Partial<PaymentView> {
    const { amountMinor, allocatedMinor, refundedMinor, providerName: name, providerId: id } = row;
    return {
      unallocatedMinor: hasArrived(row) ? amountMinor - allocatedMinor - refundedMinor : 0,
      provider: name === null || id === null ? null : { name, id },
    };
  }

  protected override async draft(body: Input): Promise<Draft<Payment>> {
    const input = body as Partial<CreatePayment> & Pick<CreatePayment, 'amountMinor'>; // validated against it
    const { currency: base } = currentTenant();
    const { amountMinor, currency = base, exchangeRate = null, direction = 'incoming', allocations = [] } = input;
    refuse([...rateFaults(currency, base, exchangeRate), ...allocationFaults(allocations, amountMinor, direction)]);
    return super.draft({
      name: input.name ?? 'Payment',
      accountId: input.accountId ?? null,
      direction,
      amountMinor,
      allocatedMinor: 0,
      refundedMinor: 0,
      currency,
      exchangeRate,
      method: input.method ?? 'other',
      receivedDate: input.receivedDate ?? (await this.day.today()),
      paymentReference: input.paymentReference ?? null,
      ...providerColumns(input.provider ?? null),
      allocations,
    });
  }

  /** An invoice that the caller may not see is neither paid by them, nor told of. */
  protected override expectVisible(transaction: Transaction, input: Input, before: Partial<Payment> = {}): void {
    super.expectVisible(transaction, input, before);
    const { allocations = [] } = input as Partial<CreatePayment>;
    for (const [index, { invoiceId }] of allocations.entries()) {
      if (before.allocations?.some((each) => each.invoiceId === invoiceId)) continue;
      const pointer = before.id === undefined ? '/allocations' : `/allocations/${index}/invoiceId`; // as for an unknown one
      for (const check of visibilityChecksOf(this.kit.registry, INVOICE, pointer, [invoiceId]))
        transaction.write(check);
    }
  }

  protected override add(transaction: Transaction, row: Payment): PaymentView {
    this.expectInvoices(transaction, row.allocations);
    return super.add(transaction, row);
  }

  protected override async edit(row: Payment, patch: Input): Promise<Partial<Payment>> {
    const { provider, ...fields } = patch;
    if (row.status !== 'pending' && FIXED.some((field) => field in patch))
      throw new Problem('record_locked', `A ${row.status} payment keeps its amounts, dates and allocations.`);
    const after = { ...row, ...fields };
    refuse([
      ...rateFaults(after.currency, currentTenant().currency, after.exchangeRate),
      ...allocationFaults(after.allocations, after.amountMinor, after.direction),
    ]);
    await this.kit.database.transaction(async (transaction) => this.expectInvoices(transaction, after.allocations));
    return {
      ...(fields as Partial<Payment>),
      ...(provider === undefined ? {} : providerColumns(provider as PaymentView['provider'])),
    };
  }

  /** Makes a payment that has arrived. Its number is taken before any lock: others take theirs with an invoice locked. */
  private async arrive(body: Input, success: Success = {}): Promise<PaymentView> {
    const row = await this.prepare(body);
    return this.unit(async (transaction) => {
      this.add(transaction, row);
      return this.follow('succeed', row.id, success);
    });
  }

  private async succeed(row: Payment, input: Success): Promise<Partial<Payment>> {
    const { allocations = row.allocations, receivedDate = row.receivedDate, invoice } = input;
    refuse(allocationFaults(allocations, row.amountMinor, row.direction));
    const exchangeRate = rateInto(currentTenant().currency, row);
    const parts = invoice
      ? [{ invoice, amountMinor: totalOf(allocations) }]
      : await this.settle(row, allocations, 'payment_recorded');
    const accountId = row.accountId ?? parts[0]?.invoice.accountId ?? null;
    const lines = this.journals({ ...row, accountId, exchangeRate }).received(parts);
    await this.write(row, allocations, { entryDate: receivedDate, lines });
    const allocatedMinor = totalOf(allocations);
    return { allocations, allocatedMinor, receivedDate, accountId, exchangeRate, settledAt: this.now() };
  }

  private async allocate(row: Payment, { allocations: more }: AllocatePayment): Promise<Partial<Payment>> {
    refuse(allocationFaults(more, row.amountMinor - row.allocatedMinor - row.refundedMinor, row.direction));
    const parts = await this.settle(row, more, 'payment_recorded');
    const allocations = merged(row.allocations, more);
    const lines = this.journals(row).allocated(parts);
    await this.write(row, only(allocations, more), { entryDate: await this.day.today(), lines });
    return { allocations, allocatedMinor: totalOf(allocations) };
  }

  private async refund(row: Payment, { amountMinor: wanted, reason }: RefundPayment): Promise<Partial<Payment>> {
    const refundable = row.amountMinor - row.refundedMinor;
    const amountMinor = (wanted as number | undefined) ?? refundable;
    if (amountMinor > refundable)
      throw new Problem('amount_exceeds_balance', `At most ${refundable} of the payment can be refunded.`);
    const unallocated = refundable - row.allocatedMinor;
    const taken = takenBack(row.allocations, Math.max(0, amountMinor - unallocated));
    const parts = await this.settle(row, taken, 'payment_released');
    const allocations = merged(row.allocations, taken);
    const lines = this.journals(row).refunded(amountMinor, parts);
    await this.write(row, only(allocations, taken), { entryDate: await this.day.today(), lines });
    return {
      status: amountMinor === refundable ? 'refunded' : 'partially_refunded',
      refundedMinor: row.refundedMinor + amountMinor,
      allocations,
      allocatedMinor: totalOf(allocations),
      reason,
    };
  }

  private async release(
    row: Payment,
    { invoiceId, amountMinor, invoice }: PaymentAllocation & { invoice: InvoiceFigures },
  ): Promise<Partial<Payment>> {
    const taken = [{ invoiceId, amountMinor: -amountMinor }];
    const allocations = merged(row.allocations, taken);
    const lines = this.journals(row).released({ invoice, amountMinor: -amountMinor });
    await this.write(row, only(allocations, taken), { entryDate: await this.day.today(), lines });
    return { allocations, allocatedMinor: totalOf(allocations) };
  }

  /** Allocations that are only meant must name invoices too. */
  private expectInvoices(transaction: Transaction, allocations: readonly PaymentAllocation[]): void {
    const ids = allocations.map(({ invoiceId }) => invoiceId);
    if (ids.length > 0) transaction.write(mustExist(INVOICE, '/allocations', ids));
  }

  /** Settles invoices, in the order of their ids so that nobody waits in a ring. Answers them as they stood before. */
  private async settle(
    row: Payment,
    parts: readonly PaymentAllocation[],
    event: NonNullable<SettlementOf['event']>,
  ): Promise<InvoicePart[]> {
    const settled: InvoicePart[] = [];
    const { currency, accountId } = row;
    for (const { invoiceId, amountMinor } of [...parts].sort((a, b) => (a.invoiceId < b.invoiceId ? -1 : 1)))
      try {
        const paidMinor = amountMinor;
        const invoice = await this.invoices.settle(invoiceId, { currency, accountId, paidMinor, event });
        settled.push({ invoice, amountMinor });
      } catch (error) {
        throw error instanceof Problem && error.code === 'not_found' ? unknownInvoice(parts, invoiceId) : error;
      }
    return settled;
  }

  /** Writes allocations as they are to be, and the journal. */
  private async write(
    row: Payment,
    allocations: readonly PaymentAllocation[],
    { entryDate, lines }: { entryDate: string; lines: JournalLine[] },
  ): Promise<void> {
    const { currency, id } = row;
    await this.kit.database.transaction(async (transaction) => {
      for (const each of allocations) transaction.write(this.payments.allocation(row, each));
      this.ledger.post(transaction, { entryDate, currency, source: { object: 'finance.payment', id }, lines });
    });
  }

  /** A payment of an invoice that the caller has locked and settles itself. */
  private async payLocked(invoice: InvoiceFigures, payment: InvoicePayment): Promise<void> {
    const { amountMinor } = payment;
    const { id } = await super.create(paymentOf(invoice, payment));
    const success: Success = { allocations: [{ invoiceId: invoice.id, amountMinor }], invoice };
    await this.follow('succeed', id, success);
  }

  private journals(row: Payment): PaymentJournals {
    return new PaymentJournals(row, currentTenant().currency);
  }
}
