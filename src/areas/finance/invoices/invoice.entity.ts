import { Column, Entity } from 'typeorm';
import type { TaxShare } from '#libs/lines/line-engine.js';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { InvoiceCustomer, InvoiceLine, InvoiceSeller } from './invoice-parts.dto.js';
import type { InvoiceStatus } from './invoice.lifecycle.js';

/**
 * `status` is what has been written; from `overdueAt` on an open invoice is overdue, whether or not that has been written.
 * `exchangeRate` is null where the currency is the tenant's.
 */
@Entity({ schema: 'data', name: 'finance_invoices' })
export class Invoice extends RecordRow {
  @Column('text', { nullable: true })
  number!: string | null;

  @Column('text')
  status!: InvoiceStatus;

  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @Column('jsonb', { nullable: true })
  customer!: InvoiceCustomer | null;

  @Column('jsonb', { nullable: true })
  seller!: InvoiceSeller | null;

  @Column('text')
  currency!: string;

  @Column('jsonb', { name: 'line_items' })
  lineItems!: InvoiceLine[];

  @Column('boolean', { name: 'tax_inclusive' })
  taxInclusive!: boolean;

  @Column('bigint', { name: 'subtotal_minor' })
  subtotalMinor!: number;

  @Column('bigint', { name: 'discount_minor' })
  discountMinor!: number;

  @Column('bigint', { name: 'net_minor' })
  netMinor!: number;

  @Column('bigint', { name: 'tax_minor' })
  taxMinor!: number;

  @Column('bigint', { name: 'total_minor' })
  totalMinor!: number;

  @Column('jsonb', { name: 'tax_breakdown' })
  taxBreakdown!: TaxShare[];

  @Column('bigint', { name: 'amount_paid_minor' })
  amountPaidMinor!: number;

  @Column('bigint', { name: 'amount_credited_minor' })
  amountCreditedMinor!: number;

  @Column('bigint', { name: 'written_off_minor' })
  writtenOffMinor!: number;

  @Column('bigint', { name: 'balance_minor' })
  balanceMinor!: number;

  @Column('date', { name: 'issue_date', nullable: true })
  issueDate!: string | null;

  @Column('date', { name: 'due_date', nullable: true })
  dueDate!: string | null;

  @Column('integer', { name: 'payment_terms_days', nullable: true })
  paymentTermsDays!: number | null;

  @Column('text', { name: 'po_number', nullable: true })
  poNumber!: string | null;

  @Column('text', { nullable: true })
  notes!: string | null;

  @Column('text', { nullable: true })
  terms!: string | null;

  @Column('text', { nullable: true })
  language!: string | null;

  @Column('uuid', { name: 'deal_id', nullable: true })
  dealId!: string | null;

  @Column('uuid', { name: 'project_id', nullable: true })
  projectId!: string | null;

  @Column('text', { name: 'purchase_ref', nullable: true })
  purchaseRef!: string | null;

  @Column('text', { name: 'exchange_rate', nullable: true })
  exchangeRate!: string | null;

  @Column('text', { name: 'base_currency', nullable: true })
  baseCurrency!: string | null;

  @Column('bigint', { name: 'base_total_minor', nullable: true })
  baseTotalMinor!: number | null;

  @Column('text', { name: 'content_hash', nullable: true })
  contentHash!: string | null;

  @Column('timestamptz', { name: 'sent_at', nullable: true })
  sentAt!: string | null;

  @Column('jsonb', { name: 'sent_to' })
  sentTo!: string[];

  @Column('text', { name: 'sent_message', nullable: true })
  sentMessage!: string | null;

  @Column('timestamptz', { name: 'paid_at', nullable: true })
  paidAt!: string | null;

  @Column('timestamptz', { name: 'voided_at', nullable: true })
  voidedAt!: string | null;

  @Column('text', { name: 'void_reason', nullable: true })
  voidReason!: string | null;

  @Column('timestamptz', { name: 'overdue_at', nullable: true })
  overdueAt!: string | null;

  @Column('boolean', { name: 'dunning_paused' })
  dunningPaused!: boolean;
}
