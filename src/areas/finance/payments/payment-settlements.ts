import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { type JournalLine, Ledger } from '../ledger/ledger.js';
import type { InvoicePart } from './payment-journals.js';
import type { Payment } from './payment.js';
import type { PaymentAllocation } from './payment.parts.js';
import { allocationOf } from './payment.queries.js';

/** Effects of payments on invoices and the ledger, in the open transaction. */
@Injectable()
export class PaymentSettlements {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesService,
    private readonly ledger: Ledger,
  ) {}

  /** Settles invoices, in the order of their ids to avoid deadlocks. Returns their previous states. */
  async settle(
    { currency, accountId }: Payment,
    parts: readonly PaymentAllocation[],
    event: 'payment_recorded' | 'payment_released',
  ): Promise<InvoicePart[]> {
    const settled: InvoicePart[] = [];
    for (const { invoiceId, amountMinor } of [...parts].sort((a, b) => (a.invoiceId < b.invoiceId ? -1 : 1)))
      try {
        const settlement = { currency, accountId, paidMinor: amountMinor, event };
        settled.push({ invoice: await this.invoices.settle(invoiceId, settlement), amountMinor });
      } catch (error) {
        throw error instanceof Problem && error.code === 'not_found' ? unknownInvoice(parts, invoiceId) : error;
      }
    return settled;
  }

  /** Writes the given allocations and the journal. */
  async write(
    row: Payment,
    allocations: readonly PaymentAllocation[],
    { entryDate, lines }: { entryDate: string; lines: JournalLine[] },
  ): Promise<void> {
    const { currency, id } = row;
    await this.database.transaction(async (transaction) => {
      for (const each of allocations) transaction.write(allocationOf(row, each));
      this.ledger.post(transaction, { entryDate, currency, source: { object: 'finance.payment', id }, lines });
    });
  }
}

/** 400 for an allocation to an invoice that does not exist. */
function unknownInvoice(parts: readonly PaymentAllocation[], invoiceId: string): Problem {
  const index = parts.findIndex((each) => each.invoiceId === invoiceId);
  const pointer = `/allocations/${index}/invoiceId`;
  return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
}
