import { Column } from 'typeorm';
import { oneOf } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { Attribute, Mapped } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { trashActions } from '#libs/resource/types/standard-actions.js';
import { days, TIME_OFF_TYPES, type TimeOffType } from '../half-days.js';

const ACCRUALS = ['monthly', 'yearly'] as const;
const ofOneYear = days({ min: 0, max: 366 });

/** Time off of one type that employees are entitled to. */
export class TimeOffPolicy extends RecordRow {
  @Attribute(oneOf(TIME_OFF_TYPES), 'Type of time off. There is at most one policy for each.', {
    example: 'vacation',
    unique: true,
    filter: true,
    sort: true,
  })
  type!: TimeOffType;

  @Mapped(ofOneYear, 'Days granted for a whole year, in steps of half a day.', { example: 28 })
  daysPerYear?: number;

  @Attribute(oneOf(ACCRUALS), 'Whether the days are granted at the start of the year or of each month.', {
    default: 'yearly',
  })
  accrual!: (typeof ACCRUALS)[number];

  @Mapped(ofOneYear, 'Maximum number of days carried over into the next year; 0 by default.', {
    example: 5,
    optional: true,
  })
  carryOverDays?: number;

  @Mapped(ofOneYear, 'Number of days by which a balance may be overdrawn; 0 by default.', {
    example: 0,
    optional: true,
  })
  allowNegativeDays?: number;

  @Column('integer', { name: 'half_days_per_year' })
  halfDaysPerYear!: number;

  @Column('integer', { name: 'carry_over_half_days' })
  carryOverHalfDays!: number;

  @Column('integer', { name: 'negative_half_days' })
  negativeHalfDays!: number;
}

export const timeOffPolicies = recordType(TimeOffPolicy, {
  area: 'people',
  collection: 'time-off-policies',
  noun: 'time off policy',
  prefix: 'TOP',
  permissions: { read: 'time-off:read', write: 'time-off:manage' },
  name: { example: 'Vacation', about: 'Label; the type by default.', optional: true },
  defaultSort: 'type',
  bodies: { update: { daysPerYear: 30 } },
  lifecycle: stateless(trashActions('time off policy', ['active'], 'time-off:manage', 'medium')),
});
