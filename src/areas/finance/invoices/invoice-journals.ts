import { baseShare } from '../ledger/base-share.js';
import { converted } from '../ledger/exchange.js';
import type { JournalLine } from '../ledger/ledger.js';
import type { Invoice } from './invoice.entity.js';

/** What an issue does to the accounts: the customer owes the total, which is revenue and tax. */
export function issueLines(row: Invoice): JournalLine[] {
  const { totalMinor, netMinor, taxMinor, exchangeRate, currency, baseCurrency } = row;
  const baseTotal = row.baseTotalMinor!;
  const baseTax = exchangeRate === null ? taxMinor : converted(taxMinor, currency, exchangeRate, baseCurrency!);
  return [
    receivable(row, totalMinor, baseTotal),
    { account: 'revenue', amountMinor: -netMinor, baseMinor: baseTax - baseTotal },
    { account: 'tax', amountMinor: -taxMinor, baseMinor: -baseTax },
  ];
}

/** What writing off does to them: what the customer still owes is lost. */
export function writeOffLines(row: Invoice): JournalLine[] {
  const settledMinor = row.amountPaidMinor + row.amountCreditedMinor;
  const openMinor = row.totalMinor - settledMinor;
  const baseMinor = baseShare(row, settledMinor, row.totalMinor);
  return [
    { account: 'bad_debt', amountMinor: openMinor, baseMinor, accountId: row.accountId },
    receivable(row, -openMinor, -baseMinor),
  ];
}

function receivable({ id, accountId }: Invoice, amountMinor: number, baseMinor: number): JournalLine {
  return { account: 'receivable', amountMinor, baseMinor, accountId, invoiceId: id };
}
