import { currentTenant } from '#libs/tenancy/scope.js';
import { baseShare } from '../ledger/base-share.js';
import { converted } from '../ledger/exchange.js';
import type { JournalLine } from '../ledger/ledger.js';
import type { InvoiceFigures } from '../settlement-desk.js';
import type { CreditNote } from './credit-note.js';
import type { Creditable } from './creditable.js';

/** Value of a credit in the tenant's currency. Credits that add up to the invoice total add up to its value. */
export function inBase(
  { totalMinor, taxMinor }: CreditNote,
  invoice: InvoiceFigures,
  { leftMinor, tax }: Creditable,
): Pick<CreditNote, 'baseTotalMinor' | 'baseTaxMinor'> {
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

/** Issued: reduces revenue and tax, and adds the total to the customer credit. */
export function owed(row: CreditNote): JournalLine[] {
  const { totalMinor, taxMinor, accountId } = row;
  const base = row.baseTotalMinor ?? totalMinor;
  const baseTax = row.baseTaxMinor ?? taxMinor;
  return [
    { account: 'revenue', amountMinor: totalMinor - taxMinor, baseMinor: base - baseTax },
    { account: 'tax', amountMinor: taxMinor, baseMinor: baseTax },
    { account: 'customer_credit', amountMinor: -totalMinor, baseMinor: -base, accountId },
  ];
}

/** Applied: offsets the customer credit against the receivable. `invoice` has the state before. */
export function used({ totalMinor, baseTotalMinor, accountId }: CreditNote, invoice: InvoiceFigures): JournalLine[] {
  const settled = invoice.amountPaidMinor + invoice.amountCreditedMinor + invoice.writtenOffMinor;
  const baseMinor = baseShare(invoice, settled, settled + totalMinor);
  const { id: invoiceId } = invoice;
  return [
    { account: 'customer_credit', amountMinor: totalMinor, baseMinor: baseTotalMinor ?? totalMinor, accountId },
    { account: 'receivable', amountMinor: -totalMinor, baseMinor: -baseMinor, accountId: invoice.accountId, invoiceId },
  ];
}

/** The part of a credit that exceeds the balance, because it has already been paid. */
export function excessOf({ totalMinor }: Pick<CreditNote, 'totalMinor'>, invoice: InvoiceFigures): number {
  const { amountPaidMinor, amountCreditedMinor, writtenOffMinor } = invoice;
  const balance = invoice.totalMinor - amountPaidMinor - amountCreditedMinor - writtenOffMinor;
  return Math.max(0, totalMinor - balance);
}
