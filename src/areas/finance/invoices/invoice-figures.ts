import { Problem } from '#libs/kernel/problem.js';
import type { ExchangeView } from './invoice.parts.js';
import type { Invoice } from './invoice.js';
import { type InvoiceStatus, OPEN_STATUSES } from './invoice.lifecycle.js';

/** Change of the settled amounts of an invoice, in minor units; negative for a reversal. */
export interface Settlement {
  paidMinor?: number | undefined;
  creditedMinor?: number | undefined;
}

/** The status of an invoice at an instant, regardless of the stored one. */
export function statusAt({ status, overdueAt }: Pick<Invoice, 'status' | 'overdueAt'>, nowMs: number): InvoiceStatus {
  const isDue = overdueAt !== null && Date.parse(overdueAt) <= nowMs;
  return isDue && OPEN_STATUSES.includes(status) ? 'overdue' : status;
}

/**
 * An issued invoice after a settlement; a payment reverses a write-off.
 * @throws Problem 409 `amount_exceeds_balance` if the settled amount would exceed the total or become negative.
 */
export function settled(row: Invoice, { paidMinor = 0, creditedMinor = 0 }: Settlement): Partial<Invoice> {
  const amountPaidMinor = row.amountPaidMinor + paidMinor;
  const amountCreditedMinor = row.amountCreditedMinor + creditedMinor;
  const balanceMinor = row.totalMinor - amountPaidMinor - amountCreditedMinor;
  if (balanceMinor < 0 || amountPaidMinor < 0 || amountCreditedMinor < 0)
    throw new Problem('amount_exceeds_balance', `Of the invoice ${row.balanceMinor} minor units are open.`);
  const open = row.status === 'overdue' ? 'overdue' : amountPaidMinor > 0 ? 'partially_paid' : 'issued';
  const status = balanceMinor === 0 ? 'paid' : open;
  const paidAt = status === 'paid' ? row.paidAt : null;
  return { amountPaidMinor, amountCreditedMinor, writtenOffMinor: 0, balanceMinor, status, paidAt };
}

/** An invoice in the tenant's currency, as the API shows it; null if the invoice already uses that currency. */
export function exchangeOf(
  row: Pick<Invoice, 'exchangeRate' | 'baseCurrency' | 'baseTotalMinor'>,
): ExchangeView | null {
  const { exchangeRate: rate, baseCurrency, baseTotalMinor } = row;
  return rate === null ? null : { rate, baseCurrency: baseCurrency!, baseTotalMinor: baseTotalMinor! };
}
