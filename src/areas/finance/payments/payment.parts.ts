import { Field, id, integer, listOf, nested, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';

export const amount = integer({ min: 1, max: MAX_MINOR });
export const reason = text({ min: 1, max: 500 });

/** The part of a payment for one invoice. */
export class PaymentAllocation {
  @Field(id(), { description: 'Invoice to pay. It must be issued and in the currency of the payment.' })
  invoiceId!: string;

  @Field(amount, { description: 'Amount in minor units, at most the balance of the invoice.', example: 36000 })
  amountMinor!: number;
}

export const allocations = listOf(nested(PaymentAllocation), { max: 100 });

/** Reference of the payment at the payment provider. */
export class PaymentProvider {
  @Field(text({ min: 1, max: 60, pattern: /\S/ }), { description: 'Name of the payment provider.', example: 'stripe' })
  name!: string;

  @Field(text({ min: 1, max: 200, pattern: /\S/ }), {
    description: 'Id of the payment at the provider; no two payments have the same.',
    example: 'pi_3NqS',
  })
  id!: string;
}
