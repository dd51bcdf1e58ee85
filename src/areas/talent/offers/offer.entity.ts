import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { EmploymentType, PayPeriod } from '../talent.parts.js';
import type { OfferStatus } from './offer.lifecycle.js';

@Entity({ schema: 'data', name: 'talent_offers' })
export class Offer extends RecordRow {
  @Column('text')
  status!: OfferStatus;

  @Column('uuid', { name: 'application_id' })
  applicationId!: string;

  @Column('text', { name: 'job_title', nullable: true })
  jobTitle!: string | null;

  @Column('text', { name: 'employment_type' })
  employmentType!: EmploymentType;

  @Column('date', { name: 'start_date', nullable: true })
  startDate!: string | null;

  @Column('bigint', { name: 'pay_amount_minor', nullable: true })
  payAmountMinor!: number | null;

  @Column('text', { name: 'pay_currency', nullable: true })
  payCurrency!: string | null;

  @Column('text', { name: 'pay_period', nullable: true })
  payPeriod!: PayPeriod | null;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: string | null;

  @Column('timestamptz', { name: 'sent_at', nullable: true })
  sentAt!: string | null;

  @Column('timestamptz', { name: 'accepted_at', nullable: true })
  acceptedAt!: string | null;
}
