import { Problem } from '#libs/kernel/problem.js';
import type { InvoiceFigures, InvoicePayment } from '../settlement-desk.js';
import type { PaymentAllocation, PaymentView } from './payment.dto.js';
import type { Payment } from './payment.entity.js';

type Input = Record<string, unknown>;

/** The create body of a payment of an invoice. */
export function paymentOf(
  invoice: InvoiceFigures,
  input: Omit<InvoicePayment, 'method'> & { method?: string; provider?: unknown },
): Input {
  const { accountId, currency, exchangeRate, number } = invoice;
  const { amountMinor, method = 'other', receivedDate, reference = null, provider = null } = input;
  return {
    name: `Payment of ${number ?? 'an invoice'}`,
    accountId,
    amountMinor,
    currency,
    exchangeRate,
    method,
    ...(receivedDate ? { receivedDate } : {}),
    paymentReference: reference,
    provider,
  };
}

/** Of all allocations, how those that changed stand now; 0 for those that are gone. */
export function only(all: readonly PaymentAllocation[], changed: readonly PaymentAllocation[]): PaymentAllocation[] {
  return changed.map(({ invoiceId }) => ({
    invoiceId,
    amountMinor: all.find((each) => each.invoiceId === invoiceId)?.amountMinor ?? 0,
  }));
}

/** Whether the money of a payment has come in, wherever it is now. */
export function hasArrived({ status }: Payment): boolean {
  return status === 'succeeded' || status === 'partially_refunded' || status === 'refunded';
}

/** The columns of what is known of a payment at its provider. */
export function providerColumns(provider: PaymentView['provider']): Pick<Payment, 'providerName' | 'providerId'> {
  return { providerName: provider?.name ?? null, providerId: provider?.id ?? null };
}

/** 400 for an allocation to an invoice that does not exist. */
export function unknownInvoice(parts: readonly PaymentAllocation[], invoiceId: string): Problem {
  const index = parts.findIndex((each) => each.invoiceId === invoiceId);
  const pointer = `/allocations/${index}/invoiceId`;
  return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
}
