import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { LeadStatus } from './lead.lifecycle.js';

/** Account, contact and deal are what the lead became; null until it is qualified. */
@Entity({ schema: 'data', name: 'sales_leads' })
export class Lead extends RecordRow {
  @Column('text', { nullable: true })
  email!: string | null;

  @Column('text', { nullable: true })
  company!: string | null;

  @Column('text')
  source!: string;

  @Column('text', { nullable: true })
  message!: string | null;

  @Column('integer', { nullable: true })
  score!: number | null;

  @Column('text')
  status!: LeadStatus;

  @Column('text', { name: 'disqualified_reason', nullable: true })
  disqualifiedReason!: string | null;

  @Column('timestamptz', { name: 'disqualified_at', nullable: true })
  disqualifiedAt!: string | null;

  @Column('timestamptz', { name: 'converted_at', nullable: true })
  convertedAt!: string | null;

  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @Column('uuid', { name: 'contact_id', nullable: true })
  contactId!: string | null;

  @Column('uuid', { name: 'deal_id', nullable: true })
  dealId!: string | null;
}
