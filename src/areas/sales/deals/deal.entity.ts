import { Column, Entity } from 'typeorm';
import type { LineView } from '#libs/lines/line.dto.js';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { ForecastCategory } from '../pipelines/pipeline.stages.js';
import type { Recurring } from './deal.dto.js';
import type { DealStatus } from './deal.lifecycle.js';

/** `staleAt` is when the deal has been in its stage for longer than the stage allows; null for never. */
@Entity({ schema: 'data', name: 'sales_deals' })
export class Deal extends RecordRow {
  @Column('bigint', { name: 'value_minor', nullable: true })
  valueMinor!: number | null;

  @Column('text')
  currency!: string;

  @Column('uuid', { name: 'pipeline_id' })
  pipelineId!: string;

  @Column('text')
  stage!: string;

  @Column('text')
  status!: DealStatus;

  @Column('integer')
  probability!: number;

  @Column('text', { name: 'forecast_category' })
  forecastCategory!: ForecastCategory;

  @Column('date', { name: 'expected_close_date', nullable: true })
  expectedCloseDate!: string | null;

  @Column('text', { name: 'deal_type' })
  dealType!: string;

  @Column('text')
  source!: string;

  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @Column('uuid', { name: 'primary_contact_id', nullable: true })
  primaryContactId!: string | null;

  @Column('jsonb', { name: 'contact_ids' })
  contactIds!: string[];

  @Column('jsonb', { name: 'line_items' })
  lineItems!: LineView[];

  @Column('jsonb', { nullable: true })
  recurring!: Recurring | null;

  @Column('uuid', { name: 'renewal_of_deal_id', nullable: true })
  renewalOfDealId!: string | null;

  @Column('text', { name: 'next_step', nullable: true })
  nextStep!: string | null;

  @Column('date', { name: 'next_step_date', nullable: true })
  nextStepDate!: string | null;

  @Column('text', { name: 'lost_reason', nullable: true })
  lostReason!: string | null;

  @Column('text', { name: 'lost_notes', nullable: true })
  lostNotes!: string | null;

  @Column('text', { nullable: true })
  competitor!: string | null;

  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt!: string | null;

  @Column('timestamptz', { name: 'stage_entered_at' })
  stageEnteredAt!: string;

  @Column('timestamptz', { name: 'stale_at', nullable: true })
  staleAt!: string | null;
}
