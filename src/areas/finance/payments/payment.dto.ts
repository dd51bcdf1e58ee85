import { civilDate, Field, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { exchangeRate } from '../ledger/exchange.js';
import { paymentLifecycle, type PaymentStatus } from './payment.lifecycle.js';

export const DIRECTIONS = ['incoming', 'outgoing'] as const;
export const METHODS = ['bank_transfer', 'card', 'cash', 'cheque', 'direct_debit', 'other'] as const;

const amount = () => integer({ min: 1, max: MAX_MINOR });
const share = () => integer({ min: 0, max: MAX_MINOR });
const reason = () => text({ min: 1, max: 500 });

/** A part of a payment that pays an invoice. */
export class PaymentAllocation {
  @Field(id(), { description: 'Invoice, issued and in the currency of the payment.' })
  invoiceId!: string;

  @Field(amount(), { description: 'Amount in minor units, at most the balance of the invoice.', example: 36000 })
  amountMinor!: number;
}

const allocations = () => listOf(nested(PaymentAllocation), { max: 100 });

/** The payment at whoever moves the money. */
export class PaymentProvider {
  @Field(text({ min: 1, max: 60, pattern: /\S/ }), { description: 'Name of the provider.', example: 'stripe' })
  name!: string;

  @Field(text({ min: 1, max: 200, pattern: /\S/ }), {
    description: 'Id of the payment there: no two payments have the same.',
    example: 'pi_3NqS',
  })
  id!: string;
}

export class CreatePayment extends RecordInput {
  @Field(name(), { description: 'Label; "Payment" if not given.', example: 'Invoice 17', optional: true })
  declare name: string;

  @Field(oneOf(['pending', 'succeeded']), {
    description: 'Whether the money is here: `succeeded` is shorthand for the action; pending if not given.',
    optional: true,
  })
  status!: 'pending' | 'succeeded';

  @Field(id(), { description: 'Customer or vendor.', optional: true, nullable: true })
  accountId!: string | null;

  @Field(oneOf(DIRECTIONS), { description: 'From a customer or to a vendor; incoming if not given.', optional: true })
  direction!: (typeof DIRECTIONS)[number];

  @Field(amount(), { description: 'Amount in minor units.', example: 36000 })
  amountMinor!: number;

  @Field(currencyCode(), {
    description: 'ISO 4217 code; the tenant’s own if not given.',
    example: 'USD',
    optional: true,
  })
  currency!: string;

  @Field(exchangeRate(), {
    description: 'Units of the tenant’s currency for one unit of the payment’s: needed if they differ.',
    optional: true,
    nullable: true,
  })
  exchangeRate!: string | null;

  @Field(oneOf(METHODS), { description: 'How it is paid; other if not given.', optional: true })
  method!: (typeof METHODS)[number];

  @Field(civilDate(), { description: 'When it arrived; today if not given.', example: '2026-11-21', optional: true })
  receivedDate!: string;

  @Field(text({ max: 200 }), { description: 'What the payer wrote.', optional: true, nullable: true })
  paymentReference!: string | null;

  @Field(nested(PaymentProvider), { description: 'The payment at its provider.', optional: true, nullable: true })
  provider!: PaymentProvider | null;

  @Field(allocations(), {
    description: 'What it pays: made when it has arrived. What is not allocated is left for later.',
    optional: true,
    example: [],
  })
  allocations!: PaymentAllocation[];
}

export class SucceedPayment {
  @Field(civilDate(), { description: 'When it arrived; as it stands if not given.', optional: true })
  receivedDate!: string;

  @Field(allocations(), { description: 'What it pays; as it stands if not given.', optional: true, example: [] })
  allocations!: PaymentAllocation[];
}

export class FailPayment {
  @Field(reason(), { description: 'Why.', example: 'Insufficient funds' })
  reason!: string;
}

export class CancelPayment {
  @Field(reason(), { description: 'Why.', optional: true })
  reason!: string;
}

export class AllocatePayment {
  @Field(listOf(nested(PaymentAllocation), { min: 1, max: 100 }), { description: 'What else it pays.' })
  allocations!: PaymentAllocation[];
}

export class RefundPayment {
  @Field(amount(), { description: 'Amount in minor units; all that is left to refund if not given.', optional: true })
  amountMinor!: number;

  @Field(reason(), { description: 'Why.', example: 'Order cancelled' })
  reason!: string;
}

/** A payment of one invoice, in its currency. */
export class PayInvoiceInput {
  @Field(amount(), {
    description: 'Amount in minor units, at most the balance; the balance if not given.',
    optional: true,
  })
  amountMinor!: number;

  @Field(oneOf(METHODS), { description: 'How it was paid; other if not given.', optional: true })
  method!: (typeof METHODS)[number];

  @Field(civilDate(), { description: 'When it arrived; today if not given.', optional: true })
  receivedDate!: string;

  @Field(text({ max: 200 }), { description: 'What the payer wrote.', optional: true, nullable: true })
  reference!: string | null;

  @Field(nested(PaymentProvider), { description: 'The payment at its provider.', optional: true, nullable: true })
  provider!: PaymentProvider | null;
}

export const PAYMENT_INPUTS = {
  succeed: SucceedPayment,
  fail: FailPayment,
  cancel: CancelPayment,
  allocate: AllocatePayment,
  refund: RefundPayment,
};

export const UpdatePayment = updateOf(
  'UpdatePayment',
  CreatePayment,
  {
    field: 'status',
    lifecycle: paymentLifecycle,
    inputs: PAYMENT_INPUTS,
  },
  ['status', 'direction'],
);

export class PaymentView extends RecordView {
  @Field(oneOf(paymentLifecycle.states), { description: 'Where it stands.', example: 'succeeded' })
  status!: PaymentStatus;

  @Field(id(), { description: 'Customer or vendor.', nullable: true })
  accountId!: string | null;

  @Field(oneOf(DIRECTIONS), { description: 'From a customer or to a vendor.', example: 'incoming' })
  direction!: string;

  @Field(amount(), { description: 'Amount in minor units.', example: 36000 })
  amountMinor!: number;

  @Field(share(), { description: 'What was given back, in minor units.', example: 0 })
  refundedMinor!: number;

  @Field(share(), {
    description: 'What is neither allocated nor given back, in minor units: the credit of the customer.',
    example: 0,
  })
  unallocatedMinor!: number;

  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(exchangeRate(), {
    description: 'Units of the tenant’s currency for one unit of the payment’s; null if they are the same.',
    nullable: true,
  })
  exchangeRate!: string | null;

  @Field(oneOf(METHODS), { description: 'How it is paid.', example: 'bank_transfer' })
  method!: string;

  @Field(civilDate(), { description: 'When it arrived.', example: '2026-11-21' })
  receivedDate!: string;

  @Field(text({ max: 200 }), { description: 'What the payer wrote.', nullable: true })
  paymentReference!: string | null;

  @Field(nested(PaymentProvider), { description: 'The payment at its provider.', nullable: true })
  provider!: PaymentProvider | null;

  @Field(allocations(), { description: 'What it pays, or will when it has arrived.', example: [] })
  allocations!: PaymentAllocation[];

  @Field(instant(), { description: 'When it succeeded, failed or was cancelled.', nullable: true })
  settledAt!: string | null;

  @Field(reason(), { description: 'Why it failed, was cancelled, or was last refunded.', nullable: true })
  reason!: string | null;
}
