import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { BusinessDay } from '../business-day.js';
import { baseShare } from '../ledger/base-share.js';
import { converted } from '../ledger/exchange.js';
import { type JournalLine, Ledger, negated, refuseTooLarge } from '../ledger/ledger.js';
import type { Invoice } from './invoice.js';

/** Posts changes of invoices to the ledger, in the open transaction. */
@Injectable()
export class InvoiceBooks {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
    private readonly day: BusinessDay,
  ) {}

  /** @throws Problem 409 `amount_too_large`. */
  async issued(row: Invoice): Promise<void> {
    const lines = issueLines(row);
    refuseTooLarge(lines);
    await this.post(row, row.issueDate!, lines);
  }

  async voided(row: Invoice): Promise<void> {
    await this.post(row, await this.day.todayFrom(row.issueDate), negated(issueLines(row)));
  }

  async writtenOff(row: Invoice): Promise<void> {
    await this.post(row, await this.day.todayFrom(row.issueDate), writeOffLines(row));
  }

  /** Reverses the write-off of an invoice and its journal. */
  async recovered(row: Invoice): Promise<Invoice> {
    if (row.status !== 'uncollectible') return row;
    await this.post(row, await this.day.todayFrom(row.issueDate), negated(writeOffLines(row)));
    return { ...row, writtenOffMinor: 0, balanceMinor: row.writtenOffMinor };
  }

  private post({ id, currency }: Invoice, entryDate: string, lines: JournalLine[]): Promise<void> {
    const source = { object: 'finance.invoice', id };
    return this.database.transaction(async (transaction) => {
      this.ledger.post(transaction, { entryDate, currency, source, lines });
    });
  }
}

/** Journal lines of an issue: the receivable increases by the total, as do revenue and tax. */
function issueLines(row: Invoice): JournalLine[] {
  const { totalMinor, netMinor, taxMinor, exchangeRate, currency, baseCurrency } = row;
  const baseTotal = row.baseTotalMinor!;
  const baseTax = exchangeRate === null ? taxMinor : converted(taxMinor, currency, exchangeRate, baseCurrency!);
  return [
    receivable(row, totalMinor, baseTotal),
    { account: 'revenue', amountMinor: -netMinor, baseMinor: baseTax - baseTotal },
    { account: 'tax', amountMinor: -taxMinor, baseMinor: -baseTax },
  ];
}

/** Journal lines of a write-off: the outstanding amount becomes a loss. */
function writeOffLines(row: Invoice): JournalLine[] {
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
