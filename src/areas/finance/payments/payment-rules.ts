import { notWith, Problem, type Violation } from '#libs/kernel/problem.js';
import type { InvoiceFigures, InvoicePayment, PaymentMethod } from '../settlement-desk.js';
import type { PaymentAllocation, PaymentProvider } from './payment.parts.js';
import type { Payment } from './payment.js';

/** Violations in a payment's allocations, before invoices are read. `limitMinor` is the amount available. */
export function allocationFaults(
  allocations: readonly PaymentAllocation[],
  limitMinor: number,
  direction: 'incoming' | 'outgoing',
): Violation[] {
  if (direction === 'outgoing' && allocations.length > 0)
    return [{ pointer: '/allocations', ...notWith('outgoing', 'Only an incoming payment pays invoices.') }];
  const faults = allocations.flatMap(({ invoiceId }, index) =>
    allocations.findIndex((each) => each.invoiceId === invoiceId) < index
      ? [fault(`/allocations/${index}/invoiceId`, 'not_unique', 'The payment is allocated to that invoice already.')]
      : [],
  );
  if (totalOf(allocations) > limitMinor)
    faults.push(fault('/allocations', 'out_of_range', 'The allocations are more than there is to allocate.'));
  return faults;
}

/** Violations in a payment's exchange rate. */
export function rateFaults(currency: string, base: string, exchangeRate: string | null): Violation[] {
  if (currency !== base && exchangeRate === null)
    return [fault('/exchangeRate', 'required', `Say what one ${currency} is worth in ${base}.`)];
  if (currency === base && exchangeRate !== null)
    return [{ pointer: '/exchangeRate', ...notWith('base_currency', `The payment is in ${base}, as the books are.`) }];
  return [];
}

/**
 * The exchange rate of a payment, null in the tenant's currency, which may have changed since the payment was written.
 * @throws Problem 409 `exchange_rate_missing`.
 */
export function rateInto(
  base: string,
  { currency, exchangeRate }: Pick<Payment, 'currency' | 'exchangeRate'>,
): string | null {
  if (currency === base) return null;
  if (exchangeRate === null)
    throw new Problem('exchange_rate_missing', `Set exchangeRate: the currency is not ${base}.`);
  return exchangeRate;
}

export function totalOf(allocations: readonly PaymentAllocation[]): number {
  return allocations.reduce((total, { amountMinor }) => total + amountMinor, 0);
}

/** Adds allocations; those of the same invoice are combined. */
export function merged(present: readonly PaymentAllocation[], more: readonly PaymentAllocation[]): PaymentAllocation[] {
  const sums = new Map(present.map(({ invoiceId, amountMinor }) => [invoiceId, amountMinor]));
  for (const { invoiceId, amountMinor } of more) sums.set(invoiceId, (sums.get(invoiceId) ?? 0) + amountMinor);
  return [...sums]
    .filter(([, amountMinor]) => amountMinor > 0)
    .map(([invoiceId, amountMinor]) => ({ invoiceId, amountMinor }));
}

/** Negative amounts that a refund deducts from allocations, newest first. */
export function takenBack(present: readonly PaymentAllocation[], amountMinor: number): PaymentAllocation[] {
  let rest = amountMinor;
  return [...present].reverse().flatMap((each) => {
    const taken = Math.min(rest, each.amountMinor);
    rest -= taken;
    return taken > 0 ? [{ invoiceId: each.invoiceId, amountMinor: -taken }] : [];
  });
}

/** @throws Problem 400 with all violations. */
export function refuse(faults: Violation[]): void {
  if (faults.length > 0) throw Problem.validation(faults);
}

function fault(pointer: string, code: string, detail: string): Violation {
  return { pointer, code, detail };
}

/** The create body of a payment of an invoice. */
export function paymentOf(
  invoice: InvoiceFigures,
  input: Omit<InvoicePayment, 'method'> & { method?: PaymentMethod; provider?: PaymentProvider | null },
): Partial<Payment> {
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

/** The current amounts of the changed allocations; 0 for removed ones. */
export function only(all: readonly PaymentAllocation[], changed: readonly PaymentAllocation[]): PaymentAllocation[] {
  return changed.map(({ invoiceId }) => ({
    invoiceId,
    amountMinor: all.find((each) => each.invoiceId === invoiceId)?.amountMinor ?? 0,
  }));
}

/** Whether the money of a payment was received, even if it has been refunded since. */
export function hasArrived({ status }: Payment): boolean {
  return status === 'succeeded' || status === 'partially_refunded' || status === 'refunded';
}

/** The columns for the payment provider's data. */
export function providerColumns(provider: PaymentProvider | null): Pick<Payment, 'providerName' | 'providerId'> {
  return { providerName: provider?.name ?? null, providerId: provider?.id ?? null };
}
