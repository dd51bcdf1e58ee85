import { civilDate, Field, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { PAYMENT_METHODS, type PaymentMethod } from '../settlement-desk.js';
import { allocations, amount, PaymentAllocation, PaymentProvider, reason } from './payment.parts.js';

export class SucceedPayment {
  @Field(civilDate(), {
    description: 'Day on which the money arrived, not in the future nor before 2000; by default that of the payment.',
    optional: true,
  })
  receivedDate!: string;

  @Field(allocations, {
    description: 'Invoices that it pays; by default those of the payment.',
    optional: true,
    example: [],
  })
  allocations!: PaymentAllocation[];
}

export class FailPayment {
  @Field(reason, { description: 'Reason for the failure.', example: 'Insufficient funds' })
  reason!: string;
}

export class CancelPayment {
  @Field(reason, { description: 'Reason for the cancellation.', optional: true })
  reason!: string;
}

export class AllocatePayment {
  @Field(listOf(nested(PaymentAllocation), { min: 1, max: 100 }), { description: 'Further invoices that it pays.' })
  allocations!: PaymentAllocation[];
}

export class RefundPayment {
  @Field(amount, { description: 'Amount in minor units; by default all that can still be refunded.', optional: true })
  amountMinor?: number;

  @Field(reason, { description: 'Reason for the refund.', example: 'Order cancelled' })
  reason!: string;
}

/** A payment of one invoice, in its currency. */
export class PayInvoiceInput {
  @Field(amount, {
    description: 'Amount in minor units, at most the balance; by default the whole balance.',
    optional: true,
  })
  amountMinor!: number;

  @Field(oneOf(PAYMENT_METHODS), { description: 'Means of payment; `other` by default.', optional: true })
  method!: PaymentMethod;

  @Field(civilDate(), {
    description: 'Day on which the money arrived, not in the future nor before 2000; today by default.',
    optional: true,
  })
  receivedDate!: string;

  @Field(text({ max: 200 }), { description: 'Reference that the payer gave.', optional: true, nullable: true })
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
