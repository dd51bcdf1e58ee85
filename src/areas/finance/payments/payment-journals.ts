import { baseShare } from '../ledger/base-share.js';
import { converted } from '../ledger/exchange.js';
import { balancedInBase, type JournalLine } from '../ledger/ledger.js';
import type { InvoiceFigures } from '../settlement-desk.js';
import type { Payment } from './payment.js';

type Money = Pick<
  Payment,
  'amountMinor' | 'allocatedMinor' | 'refundedMinor' | 'currency' | 'exchangeRate' | 'accountId' | 'direction'
>;

/**
 * Change of the paid amount of an invoice by a payment; negative for a reversal. The invoice has its previous state.
 */
export interface InvoicePart {
  invoice: InvoiceFigures;
  amountMinor: number;
}

/** The lines of a journal and its day. */
export interface DatedLines {
  entryDate: string;
  lines: JournalLine[];
}

/** Journal lines of payments; `base` is the tenant's currency. Each journal balances in both currencies. */
export class PaymentJournals {
  constructor(
    private readonly payment: Money,
    private readonly base: string,
  ) {}

  /**
   * Received: `parts` pay invoices, the rest becomes customer credit. What pays an invoice that has owed it only since a
   * later day (`owedSince`) is customer credit until that day.
   */
  received(entryDate: string, parts: readonly InvoicePart[], owedSince: ReadonlyMap<string, string>): DatedLines[] {
    const { amountMinor } = this.payment;
    const dayOf = ({ invoice }: InvoicePart) => owedSince.get(invoice.id) ?? entryDate;
    const owed = parts.filter((part) => dayOf(part) <= entryDate);
    let allocatedMinor = sum(owed);
    const lines = balancedInBase([
      this.cash(amountMinor, this.worth(0, amountMinor)),
      ...owed.map((part) => this.receivable(part)),
      this.credit(allocatedMinor - amountMinor, -this.worth(allocatedMinor, amountMinor)),
    ]);
    const later = parts
      .filter((part) => dayOf(part) > entryDate)
      .map((part) => {
        const journals = new PaymentJournals({ ...this.payment, allocatedMinor }, this.base);
        allocatedMinor += part.amountMinor;
        return { entryDate: dayOf(part), lines: journals.allocated([part]) };
      });
    return [{ entryDate, lines }, ...later];
  }

  /** Allocated: customer credit pays invoices. */
  allocated(parts: readonly InvoicePart[]): JournalLine[] {
    const used = this.payment.allocatedMinor + this.payment.refundedMinor;
    const paid = sum(parts);
    return balancedInBase([
      ...parts.map((part) => this.receivable(part)),
      this.credit(paid, this.worth(used, used + paid)),
    ]);
  }

  /** Released: the amount paid on an invoice becomes customer credit again. */
  released(part: InvoicePart): JournalLine[] {
    const used = this.payment.allocatedMinor + this.payment.refundedMinor;
    const freed = -part.amountMinor;
    return balancedInBase([this.receivable(part), this.credit(-freed, -this.worth(used - freed, used))]);
  }

  /** Refunded: first from customer credit, then from `parts` of invoices, which become outstanding again. */
  refunded(amountMinor: number, parts: readonly InvoicePart[]): JournalLine[] {
    const { refundedMinor, allocatedMinor } = this.payment;
    const used = allocatedMinor + refundedMinor;
    const credit = amountMinor + sum(parts);
    return balancedInBase([
      this.cash(-amountMinor, -this.worth(refundedMinor, refundedMinor + amountMinor)),
      ...parts.map((part) => this.receivable(part)),
      this.credit(credit, this.worth(used, used + credit)),
    ]);
  }

  private cash(amountMinor: number, baseMinor: number): JournalLine {
    return { account: 'cash', ...this.signed(amountMinor, baseMinor) };
  }

  private credit(amountMinor: number, baseMinor: number): JournalLine {
    const account = this.payment.direction === 'incoming' ? 'customer_credit' : 'payable';
    return { account, ...this.signed(amountMinor, baseMinor), accountId: this.payment.accountId };
  }

  private receivable({ invoice, amountMinor }: InvoicePart): JournalLine {
    const settled = invoice.amountPaidMinor + invoice.amountCreditedMinor + invoice.writtenOffMinor;
    const baseMinor = -baseShare(invoice, settled, settled + amountMinor);
    const { id: invoiceId, accountId } = invoice;
    return { account: 'receivable', amountMinor: -amountMinor, baseMinor, accountId, invoiceId };
  }

  /** Outgoing money mirrors incoming money. */
  private signed(amountMinor: number, baseMinor: number): { amountMinor: number; baseMinor: number } {
    return this.payment.direction === 'incoming'
      ? { amountMinor, baseMinor }
      : { amountMinor: -amountMinor, baseMinor: -baseMinor };
  }

  /** Value in the tenant's currency of the part of the payment between two amounts. */
  private worth(fromMinor: number, toMinor: number): number {
    const { amountMinor, currency, exchangeRate } = this.payment;
    const baseTotalMinor = exchangeRate === null ? null : converted(amountMinor, currency, exchangeRate, this.base);
    return baseShare({ totalMinor: amountMinor, baseTotalMinor }, fromMinor, toMinor);
  }
}

function sum(parts: readonly InvoicePart[]): number {
  return parts.reduce((total, { amountMinor }) => total + amountMinor, 0);
}
