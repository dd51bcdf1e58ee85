import { currentTenant } from '#libs/tenancy/scope.js';
import { baseShare } from '../ledger/base-share.js';
import { converted } from '../ledger/exchange.js';
import type { JournalLine } from '../ledger/ledger.js';
import type { InvoiceFigures } from '../settlement-desk.js';
import type { CreditNote } from './credit-note.js';
import type { Creditable } from './creditable.js';

/** What a credit is worth in the tenant's currency: credits that add up to the whole are worth what the whole is. */
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

/** Issued: revenue and tax go down, and the customer is owed the total. */
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

/** Applied: what the customer is owed goes off what the customer owes. `invoice` is as it stands before. */
export function used({ totalMinor, baseTotalMinor, accountId }: CreditNote, invoice: InvoiceFigures): JournalLine[] {
  const settled = invoice.amountPaidMinor + invoice.amountCreditedMinor + invoice.writtenOffMinor;
  const baseMinor = baseShare(invoice, settled, settled + totalMinor);
  const { id: invoiceId } = invoice;
  return [
    { account: 'customer_credit', amountMinor: totalMinor, baseMinor: baseTotalMinor ?? totalMinor, accountId },
    { account: 'receivable', amountMinor: -totalMinor, baseMinor: -baseMinor, accountId: invoice.accountId, invoiceId },
  ];
}

/** What of a credit has been paid already. */
export function excessOf({ totalMinor }: Pick<CreditNote, 'totalMinor'>, invoice: InvoiceFigures): number {
  const { amountPaidMinor, amountCreditedMinor, writtenOffMinor } = invoice;
  const balance = invoice.totalMinor - amountPaidMinor - amountCreditedMinor - writtenOffMinor;
  return Math.max(0, totalMinor - balance);
}
