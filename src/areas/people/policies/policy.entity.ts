import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { TimeOffType } from '../half-days.js';

/** How much time off of one type employees get. */
@Entity({ schema: 'data', name: 'people_time_off_policies' })
export class Policy extends RecordRow {
  @Column('text')
  type!: TimeOffType;

  @Column('text')
  accrual!: 'monthly' | 'yearly';

  @Column('integer', { name: 'half_days_per_year' })
  halfDaysPerYear!: number;

  @Column('integer', { name: 'carry_over_half_days' })
  carryOverHalfDays!: number;

  @Column('integer', { name: 'negative_half_days' })
  negativeHalfDays!: number;
}
