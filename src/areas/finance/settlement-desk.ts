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
  /** The total in the tenant's currency; null in a draft. */
  baseTotalMinor: number | null;
  /** Units of the tenant's currency for one unit of the invoice's; null where they are the same. */
  exchangeRate: string | null;
  lineItems: LineView[];
  taxInclusive: boolean;
}

/** Money that came in for one invoice. `amountMinor` is not more than its balance. */
export interface InvoicePayment {
  amountMinor: number;
  method: PaymentMethod;
  /** Today if not given. */
  receivedDate?: string | null | undefined;
  /** What the payer wrote. */
  reference?: string | null | undefined;
}

/** What is credited of an invoice: lines, an amount, or all that is left. */
export interface InvoiceCredit {
  amountMinor?: number | undefined;
  lineItems?: LineInput[] | undefined;
  reason: string;
}

/** Effect of a credit on its invoice. `releasedMinor` had been paid and is now the customer's credit. */
export interface CreditOutcome {
  creditedMinor: number;
  releasedMinor: number;
}

type Payer = (invoice: InvoiceFigures, payment: InvoicePayment) => Promise<void>;
type Crediter = (invoice: InvoiceFigures, credit: InvoiceCredit) => Promise<CreditOutcome>;

/**
 * Creates payments and credit notes for invoices, so that neither side depends on the other. Both work in the open
 * transaction on a locked invoice; the caller updates the invoice itself.
 */
@Injectable()
export class SettlementDesk {
  private payer: Payer | null = null;
  private crediter: Crediter | null = null;

  /** Says who makes payments. */
  payWith(payer: Payer): void {
    this.payer = payer;
  }

  /** Says who makes credit notes. */
  creditWith(crediter: Crediter): void {
    this.crediter = crediter;
  }

  /** Records a payment of an invoice as it stands before. */
  pay(invoice: InvoiceFigures, payment: InvoicePayment): Promise<void> {
    return this.payer!(invoice, payment);
  }

  /** Issues and applies a credit note for an invoice as it stands before. @throws Problem 409 when it is too much. */
  credit(invoice: InvoiceFigures, credit: InvoiceCredit): Promise<CreditOutcome> {
    return this.crediter!(invoice, credit);
  }
}
