import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { Ledger } from '../ledger/ledger.js';
import type { DatedLines, InvoicePart } from './payment-journals.js';
import type { Payment } from './payment.js';
import type { PaymentAllocation } from './payment.parts.js';
import { allocationOf, lastDebits } from './payment.queries.js';

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

  /**
   * Since when each invoice has owed what it owes now, by id: the last day on which its receivable grew, by the issue or
   * by something given back. Before that day it could owe less than what is paid now.
   */
  async owedSince(parts: readonly InvoicePart[]): Promise<ReadonlyMap<string, string>> {
    if (parts.length === 0) return new Map();
    const ids = parts.map(({ invoice }) => invoice.id);
    const found = await this.database.read<{ invoiceId: string; day: string }>(lastDebits(ids));
    return new Map(found.map(({ invoiceId, day }) => [invoiceId, day]));
  }

  /** Writes the given allocations and the journals. */
  async write(row: Payment, allocations: readonly PaymentAllocation[], journals: readonly DatedLines[]): Promise<void> {
    const { currency, id } = row;
    await this.database.transaction(async (transaction) => {
      for (const each of allocations) transaction.write(allocationOf(row, each));
      for (const each of journals)
        this.ledger.post(transaction, { ...each, currency, source: { object: 'finance.payment', id } });
    });
  }
}

/** 400 for an allocation to an invoice that does not exist. */
function unknownInvoice(parts: readonly PaymentAllocation[], invoiceId: string): Problem {
  const index = parts.findIndex((each) => each.invoiceId === invoiceId);
  const pointer = `/allocations/${index}/invoiceId`;
  return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
}
