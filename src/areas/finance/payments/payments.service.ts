import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Change, Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { mustExist, visibilityChecksOf } from '#libs/resource/access/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { BusinessDay } from '../business-day.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { refuseTooLarge } from '../ledger/ledger.js';
import { INVOICE } from '../references.js';
import { type InvoiceFigures, type InvoicePayment, SettlementDesk } from '../settlement-desk.js';
import { PaymentJournals } from './payment-journals.js';
import {
  allocationFaults,
  hasArrived,
  merged,
  only,
  paymentOf,
  providerColumns,
  rateFaults,
  rateInto,
  refuse,
  takenBack,
  totalOf,
} from './payment-rules.js';
import { PaymentSettlements } from './payment-settlements.js';
import type {
  AllocatePayment,
  FailPayment,
  PayInvoiceInput,
  RefundPayment,
  SucceedPayment,
} from './payment.actions.js';
import type { PaymentAction } from './payment.lifecycle.js';
import type { PaymentAllocation } from './payment.parts.js';
import { payingFor } from './payment.queries.js';
import { type Payment, payments, type ShownPayment } from './payment.js';

type PaymentDecisions = Decisions<Payment, ShownPayment, PaymentAction>;

const RECEIVED = '/receivedDate';
/** Fields that are fixed once the money has moved. */
const FIXED = ['accountId', 'amountMinor', 'currency', 'exchangeRate', 'receivedDate', 'provider', 'allocations'];

/**
 * The body of `succeed`; `invoice` is an invoice that the caller has locked and settles itself, in its previous state.
 */
type Success = Partial<SucceedPayment> & { invoice?: InvoiceFigures };

/** An amount of a payment that is released from an invoice. `invoice` has its previous state. */
type Release = PaymentAllocation & { invoice: InvoiceFigures };

/** Money received from customers and paid to vendors. */
@Injectable()
export class PaymentsService implements PaymentDecisions, OnModuleInit {
  readonly actions: PaymentDecisions['actions'] = {
    succeed: (row, input: Success) => this.succeed(row, input),
    fail: (_, { reason }: FailPayment) => ({ reason, settledAt: this.records.rows.now() }),
    cancel: (_, { reason = null }: { reason?: string | null }) => ({ reason, settledAt: this.records.rows.now() }),
    allocate: (row, input: AllocatePayment) => this.allocate(row, input),
    refund: (row, input: RefundPayment) => this.refund(row, input),
    release: (row, part: Release) => this.release(row, part),
  };
  readonly constraints = {
    finance_payments_provider_once: () =>
      new Problem('duplicate', 'Another payment has the same id at the provider.', {
        extensions: { field: 'provider' },
      }),
  };
  readonly records: Records<Payment, ShownPayment, PaymentAction>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly invoices: InvoicesService,
    private readonly settlements: PaymentSettlements,
    private readonly day: BusinessDay,
    private readonly desk: SettlementDesk,
    private readonly accounts: AccountsService,
  ) {
    this.records = Records.of(payments, kit, this);
  }

  onModuleInit(): void {
    this.accounts.merging.referredBy(this.records, 'accountId');
    this.desk.payWith((invoice, payment) => this.payLocked(invoice, payment));
  }

  /** Records money received for one invoice. @throws Problem 404, 409. */
  async payInvoice(invoiceId: string, input: Partial<PayInvoiceInput>): Promise<ShownPayment> {
    const invoice = await this.invoices.records.read(invoiceId);
    const { totalMinor, amountPaidMinor, amountCreditedMinor } = invoice;
    const amountMinor = input.amountMinor ?? totalMinor - amountPaidMinor - amountCreditedMinor;
    if (amountMinor <= 0) throw new Problem('amount_exceeds_balance', 'There is nothing to pay on the invoice.');
    // Assigns the number before any lock, because other payments assign theirs while an invoice is locked.
    const row = await this.records.rows.draft(paymentOf(invoice, { ...input, amountMinor }));
    return this.records.unit(async (transaction) => {
      await this.records.rows.add(transaction, row);
      return this.records.follow('succeed', row.id, { allocations: [{ invoiceId, amountMinor }] });
    });
  }

  /** Releases a paid amount of a locked invoice as customer credit, newest payment first. */
  async releaseFrom(
    invoice: InvoiceFigures,
    amountMinor: number,
  ): Promise<{ paymentId: string; amountMinor: number }[]> {
    return this.records.unit(async (transaction) => {
      const released: { paymentId: string; amountMinor: number }[] = [];
      let rest = amountMinor;
      let before = invoice;
      for (const paying of await transaction.query<{ paymentId: string; amountMinor: number }>(payingFor(invoice.id))) {
        const taken = Math.min(rest, paying.amountMinor);
        if (taken === 0) break;
        const part = { invoiceId: invoice.id, amountMinor: taken, invoice: before };
        await this.records.follow('release', paying.paymentId, part); // the action's own input
        released.push({ paymentId: paying.paymentId, amountMinor: taken });
        before = { ...before, amountPaidMinor: before.amountPaidMinor - taken };
        rest -= taken;
      }
      return released;
    });
  }

  derive(row: Payment): Partial<ShownPayment> {
    const { amountMinor, allocatedMinor, refundedMinor, providerName: name, providerId: id } = row;
    return {
      unallocatedMinor: hasArrived(row) ? amountMinor - allocatedMinor - refundedMinor : 0,
      provider: name === null || id === null ? null : { name, id },
    };
  }

  async draft(input: Partial<Payment> & Pick<Payment, 'amountMinor'>): Promise<Draft<Payment>> {
    const { status: _, provider = null, ...fields } = input;
    const { currency: base } = currentTenant();
    const { amountMinor, currency = base, exchangeRate = null, direction = 'incoming', allocations = [] } = fields;
    refuse([...rateFaults(currency, base, exchangeRate), ...allocationFaults(allocations, amountMinor, direction)]);
    await this.day.requirePostable(fields.receivedDate, RECEIVED);
    const draft: Partial<Payment> = {
      ...fields,
      ...providerColumns(provider),
      currency,
      allocatedMinor: 0,
      receivedDate: fields.receivedDate ?? (await this.day.today()),
    };
    return draft as Draft<Payment>; // the rest has defaults
  }

  async edit(row: Payment, patch: Partial<Payment>): Promise<Partial<Payment>> {
    if (row.status !== 'pending' && FIXED.some((field) => field in patch))
      throw new Problem('record_locked', `A ${row.status} payment keeps its amounts, dates and allocations.`);
    const { provider, ...fields } = patch;
    const after = { ...row, ...fields };
    refuse([
      ...rateFaults(after.currency, currentTenant().currency, after.exchangeRate),
      ...allocationFaults(after.allocations, after.amountMinor, after.direction),
    ]);
    await this.day.requirePostable(patch.receivedDate, RECEIVED);
    return { ...fields, ...(provider === undefined ? {} : providerColumns(provider)) };
  }

  /** An invoice that the caller may not see is treated as unknown. */
  visibility({ allocations = [] }: Partial<Payment>, before: Partial<Payment>): Statement[] {
    return allocations.flatMap(({ invoiceId }, index) => {
      if (before.allocations?.some((each) => each.invoiceId === invoiceId)) return [];
      const pointer = before.id === undefined ? '/allocations' : `/allocations/${index}/invoiceId`; // as for an unknown one
      return visibilityChecksOf(this.kit.registry, INVOICE, pointer, [invoiceId]);
    });
  }

  /** Planned allocations must also reference existing invoices. */
  checks({ status, allocations }: Payment, before: Payment | null): Statement[] {
    if (status !== 'pending' || allocations === before?.allocations) return [];
    const ids = allocations.map(({ invoiceId }) => invoiceId);
    return ids.length > 0 ? [mustExist(INVOICE, '/allocations', ids)] : [];
  }

  /** A payment created as succeeded runs that action immediately. */
  async saved(transaction: Transaction, { before, after, input }: Change<Payment>): Promise<Payment> {
    const arrives = before === null && input['status'] === 'succeeded';
    return arrives ? this.records.transit(transaction, after, 'succeed', {}) : after;
  }

  private async succeed(row: Payment, input: Success): Promise<Partial<Payment>> {
    const { allocations = row.allocations, receivedDate = row.receivedDate, invoice } = input;
    refuse(allocationFaults(allocations, row.amountMinor, row.direction));
    await this.day.requirePostable(receivedDate, RECEIVED);
    const exchangeRate = rateInto(currentTenant().currency, row);
    const parts = invoice
      ? [{ invoice, amountMinor: totalOf(allocations) }]
      : await this.settlements.settle(row, allocations, 'payment_recorded');
    const accountId = row.accountId ?? parts[0]?.invoice.accountId ?? null;
    const journals = journalsOf({ ...row, accountId, exchangeRate });
    const owedSince = await this.settlements.owedSince(parts);
    const received = journals.received(receivedDate, parts, owedSince);
    for (const { lines } of received) refuseTooLarge(lines);
    await this.settlements.write(row, allocations, received);
    const allocatedMinor = totalOf(allocations);
    const settledAt = this.records.rows.now();
    return { allocations, allocatedMinor, receivedDate, accountId, exchangeRate, settledAt };
  }

  private async allocate(row: Payment, { allocations: more }: AllocatePayment): Promise<Partial<Payment>> {
    refuse(allocationFaults(more, row.amountMinor - row.allocatedMinor - row.refundedMinor, row.direction));
    const parts = await this.settlements.settle(row, more, 'payment_recorded');
    const allocations = merged(row.allocations, more);
    const lines = journalsOf(row).allocated(parts);
    const issueDates = parts.map(({ invoice }) => invoice.issueDate!).sort();
    const entryDate = await this.day.todayFrom(issueDates.at(-1)!);
    await this.settlements.write(row, only(allocations, more), [{ entryDate, lines }]);
    return { allocations, allocatedMinor: totalOf(allocations) };
  }

  private async refund(row: Payment, { amountMinor: wanted, reason }: RefundPayment): Promise<Partial<Payment>> {
    const refundable = row.amountMinor - row.refundedMinor;
    const amountMinor = wanted ?? refundable;
    if (amountMinor > refundable)
      throw new Problem('amount_exceeds_balance', `At most ${refundable} of the payment can be refunded.`);
    const unallocated = refundable - row.allocatedMinor;
    const taken = takenBack(row.allocations, Math.max(0, amountMinor - unallocated));
    const parts = await this.settlements.settle(row, taken, 'payment_released');
    const allocations = merged(row.allocations, taken);
    const lines = journalsOf(row).refunded(amountMinor, parts);
    await this.settlements.write(row, only(allocations, taken), [{ entryDate: await this.day.today(), lines }]);
    return {
      status: amountMinor === refundable ? 'refunded' : 'partially_refunded',
      refundedMinor: row.refundedMinor + amountMinor,
      allocations,
      allocatedMinor: totalOf(allocations),
      reason,
    };
  }

  private async release(row: Payment, { invoiceId, amountMinor, invoice }: Release): Promise<Partial<Payment>> {
    const taken = [{ invoiceId, amountMinor: -amountMinor }];
    const allocations = merged(row.allocations, taken);
    const lines = journalsOf(row).released({ invoice, amountMinor: -amountMinor });
    await this.settlements.write(row, only(allocations, taken), [{ entryDate: await this.day.today(), lines }]);
    return { allocations, allocatedMinor: totalOf(allocations) };
  }

  /** A payment of an invoice that the caller has locked and settles itself. */
  private async payLocked(invoice: InvoiceFigures, payment: InvoicePayment): Promise<void> {
    const { id } = await this.records.create(paymentOf(invoice, payment));
    const allocations = [{ invoiceId: invoice.id, amountMinor: payment.amountMinor }];
    await this.records.follow('succeed', id, { allocations, invoice } satisfies Success);
  }
}

function journalsOf(row: Payment): PaymentJournals {
  return new PaymentJournals(row, currentTenant().currency);
}
