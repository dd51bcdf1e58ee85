import { Injectable } from '@nestjs/common';
import type { LineInput, LineView } from '#libs/lines/line.dto.js';

export const PAYMENT_METHODS = ['bank_transfer', 'card', 'cash', 'cheque', 'direct_debit', 'other'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** What payments and credit notes need to know of an invoice. */
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

/** What is given back of one invoice: lines, or an amount, or all that is left of it. */
export interface InvoiceCredit {
  amountMinor?: number | undefined;
  lineItems?: LineInput[] | undefined;
  reason: string;
}

/** What a credit did to its invoice. `releasedMinor` had been paid and is the customer's credit now. */
export interface CreditOutcome {
  creditedMinor: number;
  releasedMinor: number;
}

type Payer = (invoice: InvoiceFigures, payment: InvoicePayment) => Promise<void>;
type Crediter = (invoice: InvoiceFigures, credit: InvoiceCredit) => Promise<CreditOutcome>;

/**
 * Where invoices have payments and credit notes made, which settle invoices in turn: neither side has to know the other.
 * Both work in the open transaction on a locked invoice, and leave the invoice itself to the caller.
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
