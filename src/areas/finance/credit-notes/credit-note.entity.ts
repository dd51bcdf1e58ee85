import { Column, Entity } from 'typeorm';
import type { LineView, TaxBreakdownView } from '#libs/lines/line.dto.js';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { Disposition } from './credit-note.dto.js';
import type { CreditNoteStatus } from './credit-note.lifecycle.js';

/** `baseTotalMinor` is the total in the tenant's currency, null until it is issued. */
@Entity({ schema: 'data', name: 'finance_credit_notes' })
export class CreditNote extends RecordRow {
  @Column('text')
  status!: CreditNoteStatus;

  @Column('text', { nullable: true })
  number!: string | null;

  @Column('uuid', { name: 'invoice_id' })
  invoiceId!: string;

  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @Column('text')
  currency!: string;

  @Column('text')
  reason!: string;

  @Column('text')
  disposition!: Disposition;

  @Column('boolean', { name: 'tax_inclusive' })
  taxInclusive!: boolean;

  @Column('jsonb', { name: 'line_items' })
  lineItems!: LineView[];

  @Column('bigint', { name: 'subtotal_minor' })
  subtotalMinor!: number;

  @Column('bigint', { name: 'discount_minor' })
  discountMinor!: number;

  @Column('bigint', { name: 'tax_minor' })
  taxMinor!: number;

  @Column('bigint', { name: 'total_minor' })
  totalMinor!: number;

  @Column('bigint', { name: 'base_total_minor', nullable: true })
  baseTotalMinor!: number | null;

  @Column('bigint', { name: 'base_tax_minor', nullable: true })
  baseTaxMinor!: number | null;

  @Column('jsonb', { name: 'tax_breakdown' })
  taxBreakdown!: TaxBreakdownView[];

  @Column('date', { name: 'issue_date', nullable: true })
  issueDate!: string | null;

  @Column('timestamptz', { name: 'applied_at', nullable: true })
  appliedAt!: string | null;

  @Column('timestamptz', { name: 'voided_at', nullable: true })
  voidedAt!: string | null;

  @Column('text', { name: 'void_reason', nullable: true })
  voidReason!: string | null;
}
