import { Column } from 'typeorm';
import { civilDate, id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { Attribute, Derived, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { exchangeRate } from '../ledger/exchange.js';
import { LIVE_ACCOUNT, RETAINED_DAYS } from '../references.js';
import { PAYMENT_METHODS, type PaymentMethod } from '../settlement-desk.js';
import { PAYMENT_INPUTS } from './payment.actions.js';
import { type PaymentAction, paymentLifecycle, type PaymentStatus } from './payment.lifecycle.js';
import { allocations, amount, type PaymentAllocation, PaymentProvider, reason } from './payment.parts.js';

const DIRECTIONS = ['incoming', 'outgoing'] as const;
const ALLOCATED = `exists (select 1 from data.finance_payment_allocations x
  where x.tenant_id = t.tenant_id and x.payment_id = t.id and x.invoice_id = any(:values))`;
const share = integer({ min: 0, max: MAX_MINOR });

/** Money received from a customer or paid to a vendor. */
export class Payment extends RecordRow {
  @Attribute(
    oneOf(paymentLifecycle.states),
    'State of the payment. A new one is `pending` by default; with `succeeded` its money has arrived already, and its allocations are made at once.',
    { given: oneOf(['pending', 'succeeded']), once: true, optional: true, example: 'succeeded', filter: true },
  )
  status!: PaymentStatus;

  @Attribute(id(), 'Account of the customer or vendor.', { nullable: true, names: LIVE_ACCOUNT, filter: true })
  accountId!: string | null;

  @Attribute(oneOf(DIRECTIONS), '`incoming` from a customer or `outgoing` to a vendor; `incoming` by default.', {
    default: 'incoming',
    once: true,
    filter: true,
  })
  direction!: (typeof DIRECTIONS)[number];

  @Attribute(amount, 'Amount in minor units.', { example: 36000, filter: filter.ordered(share), sort: true })
  amountMinor!: number;

  @ReadOnly(share, 'Amount refunded so far, in minor units.', { default: 0 })
  refundedMinor!: number;

  @Derived(
    share,
    'Amount neither allocated nor refunded, in minor units: the customer’s credit. 0 until the money has arrived.',
    { example: 0 },
  )
  unallocatedMinor?: number;

  /** The sum of effective allocations; those of a pending payment are only planned. */
  @Column('bigint', { name: 'allocated_minor' })
  allocatedMinor!: number;

  @Attribute(currencyCode(), 'ISO 4217 code; by default the tenant’s base currency.', {
    example: 'USD',
    optional: true,
    filter: true,
  })
  currency!: string;

  @Attribute(
    exchangeRate(),
    'Units of the tenant’s base currency for one unit of the payment’s currency. Required if they differ, null if not.',
    { nullable: true },
  )
  exchangeRate!: string | null;

  @Attribute(oneOf(PAYMENT_METHODS), 'Means of payment; `other` by default.', {
    default: 'other',
    example: 'bank_transfer',
    filter: true,
  })
  method!: PaymentMethod;

  @Attribute(civilDate(), 'Day on which the money arrived, not in the future nor before 2000; today by default.', {
    example: '2026-11-21',
    optional: true,
    filter: true,
    sort: true,
  })
  receivedDate!: string;

  @Attribute(text({ max: 200 }), 'Reference that the payer gave.', {
    example: 'INV-2026-00017',
    nullable: true,
    filter: true,
    privacy: 'personal',
  })
  paymentReference!: string | null;

  @Mapped(nested(PaymentProvider), 'The payment at its provider.', {
    example: { name: 'stripe', id: 'pi_3NqS' },
    nullable: true,
  })
  provider?: PaymentProvider | null;

  @Column('text', { name: 'provider_name', nullable: true })
  providerName!: string | null;

  @Column('text', { name: 'provider_id', nullable: true })
  providerId!: string | null;

  @Attribute(
    allocations,
    'Invoices that it pays. They are settled when the money has arrived; what is not allocated is left for later.',
    { default: [], example: [{ invoiceId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c17', amountMinor: 36000 }] },
  )
  allocations!: PaymentAllocation[];

  @ReadOnly(instant(), 'Time at which it succeeded, failed or was cancelled; null while it is pending.', {
    example: '2026-11-21T09:15:02.114Z',
    nullable: true,
    filter: true,
  })
  settledAt!: string | null;

  @ReadOnly(reason, 'Reason for the failure, the cancellation or the last refund.', {
    nullable: true,
    privacy: 'personal',
  })
  reason!: string | null;
}

/** A payment as the API shows it. */
export type ShownPayment = Required<Shown<Payment>>;

export const payments = recordType<Payment, PaymentAction>(Payment, {
  area: 'finance',
  collection: 'payments',
  noun: 'payment',
  prefix: 'PAY',
  permissions: { read: 'payments:read', write: 'payments:write' },
  name: { example: 'Invoice 17', about: 'Label; `Payment` by default.', default: 'Payment' },
  lifecycle: paymentLifecycle,
  inputs: PAYMENT_INPUTS,
  retention: ['settledAt'],
  retainAtLeast: RETAINED_DAYS,
  filters: { providerId: filter.exact(text({ max: 200 }), true), invoiceId: filter.related(id(), ALLOCATED) },
  problems: {
    create: [
      'duplicate',
      'amount_exceeds_balance',
      'amount_too_large',
      'currency_mismatch',
      'account_mismatch',
      'invalid_transition',
    ],
    update: [
      'duplicate',
      'record_locked',
      'amount_exceeds_balance',
      'amount_too_large',
      'currency_mismatch',
      'account_mismatch',
      'exchange_rate_missing',
    ],
    succeed: [
      'amount_exceeds_balance',
      'amount_too_large',
      'currency_mismatch',
      'account_mismatch',
      'exchange_rate_missing',
    ],
    allocate: ['amount_exceeds_balance', 'currency_mismatch', 'account_mismatch'],
    refund: ['amount_exceeds_balance'],
  },
  bodies: {
    create: { amountMinor: 36000, currency: 'USD', method: 'bank_transfer', receivedDate: '2026-11-21' },
    update: { paymentReference: 'INV-2026-00017' },
    succeed: { receivedDate: '2026-11-21' },
    refund: { amountMinor: 6000, reason: 'Order cancelled' },
  },
});
