import { Injectable } from '@nestjs/common';
import type { LineInput, LineView } from '#libs/lines/line.dto.js';

export const PAYMENT_METHODS = ['bank_transfer', 'card', 'cash', 'cheque', 'direct_debit', 'other'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** The fields of an invoice that payments and credit notes need. */
export interface InvoiceFigures {
  id: string;
  number: string | null;
  accountId: string | null;
  currency: string;
  issueDate: string | null;
  dueDate: string | null;
  totalMinor: number;
  amountPaidMinor: number;
  amountCreditedMinor: number;
  writtenOffMinor: number;
  /** The total in the tenant's currency; null for a draft. */
  baseTotalMinor: number | null;
  /** Units of the tenant's currency per unit of the invoice currency; null if they are the same. */
  exchangeRate: string | null;
  lineItems: LineView[];
  taxInclusive: boolean;
}

/** Money received for one invoice. `amountMinor` does not exceed its balance. */
export interface InvoicePayment {
  amountMinor: number;
  method: PaymentMethod;
  /** Today by default. */
  receivedDate?: string | null | undefined;
  /** Reference given by the payer. */
  reference?: string | null | undefined;
}

/** The credit for an invoice: lines, an amount, or the remaining balance. */
export interface InvoiceCredit {
  amountMinor?: number | undefined;
  lineItems?: LineInput[] | undefined;
  reason: string;
}

/** Effect of a credit on its invoice. `releasedMinor` was already paid and becomes customer credit. */
export interface CreditOutcome {
  creditedMinor: number;
  releasedMinor: number;
}

type Payer = (invoice: InvoiceFigures, payment: InvoicePayment) => Promise<void>;
type Crediter = (invoice: InvoiceFigures, credit: InvoiceCredit) => Promise<CreditOutcome>;

/**
 * Creates payments and credit notes for invoices without a dependency between the two. Both run in the open transaction
 * on a locked invoice; the caller updates the invoice.
 */
@Injectable()
export class SettlementDesk {
  private payer: Payer | null = null;
  private crediter: Crediter | null = null;

  /** Registers the service that creates payments. */
  payWith(payer: Payer): void {
    this.payer = payer;
  }

  /** Registers the service that creates credit notes. */
  creditWith(crediter: Crediter): void {
    this.crediter = crediter;
  }

  /** Records a payment. `invoice` has the state before the payment. */
  pay(invoice: InvoiceFigures, payment: InvoicePayment): Promise<void> {
    return this.payer!(invoice, payment);
  }

  /**
   * Issues and applies a credit note. `invoice` has the state before it.
   * @throws Problem 409 when the amount is too large.
   */
  credit(invoice: InvoiceFigures, credit: InvoiceCredit): Promise<CreditOutcome> {
    return this.crediter!(invoice, credit);
  }
}
