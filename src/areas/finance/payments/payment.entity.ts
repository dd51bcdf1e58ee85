import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { PaymentAllocation } from './payment.dto.js';
import type { PaymentStatus } from './payment.lifecycle.js';

/** `allocatedMinor` is the sum of `allocations` that are made: those of a pending payment are only meant. */
@Entity({ schema: 'data', name: 'finance_payments' })
export class Payment extends RecordRow {
  @Column('text')
  status!: PaymentStatus;

  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @Column('text')
  direction!: 'incoming' | 'outgoing';

  @Column('bigint', { name: 'amount_minor' })
  amountMinor!: number;

  @Column('bigint', { name: 'allocated_minor' })
  allocatedMinor!: number;

  @Column('bigint', { name: 'refunded_minor' })
  refundedMinor!: number;

  @Column('text')
  currency!: string;

  @Column('text', { name: 'exchange_rate', nullable: true })
  exchangeRate!: string | null;

  @Column('text')
  method!: string;

  @Column('date', { name: 'received_date' })
  receivedDate!: string;

  @Column('text', { name: 'payment_reference', nullable: true })
  paymentReference!: string | null;

  @Column('text', { name: 'provider_name', nullable: true })
  providerName!: string | null;

  @Column('text', { name: 'provider_id', nullable: true })
  providerId!: string | null;

  @Column('jsonb')
  allocations!: PaymentAllocation[];

  @Column('timestamptz', { name: 'settled_at', nullable: true })
  settledAt!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;
}
