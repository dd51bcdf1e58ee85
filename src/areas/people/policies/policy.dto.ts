import { Field, name, oneOf } from '#libs/http/field.js';
import { mergePatchOf, RecordInput, RecordView } from '#libs/resource/record.dto.js';
import { days, TIME_OFF_TYPES, type TimeOffType } from '../half-days.js';

export const ACCRUALS = ['monthly', 'yearly'] as const;
export type Accrual = (typeof ACCRUALS)[number];

const MAX_DAYS = { min: 0, max: 366 };

export class CreateTimeOffPolicy extends RecordInput {
  @Field(name(), { description: 'Label; the type if not given.', example: 'Vacation', optional: true })
  declare name: string;

  @Field(oneOf(TIME_OFF_TYPES), { description: 'What it is for; there is one policy for a type.', example: 'vacation' })
  type!: TimeOffType;

  @Field(days(MAX_DAYS), { description: 'Days that a whole year gives.', example: 28 })
  daysPerYear!: number;

  @Field(oneOf(ACCRUALS), {
    description: 'Whether the days come at the beginning of the year or of each month; yearly if not given.',
    optional: true,
  })
  accrual!: Accrual;

  @Field(days(MAX_DAYS), { description: 'Most days that go over into the next year; 0 if not given.', optional: true })
  carryOverDays!: number;

  @Field(days(MAX_DAYS), { description: 'How far a balance may fall below zero; 0 if not given.', optional: true })
  allowNegativeDays!: number;
}

export const UpdatePolicy = mergePatchOf('UpdateTimeOffPolicy', CreateTimeOffPolicy);

export class TimeOffPolicyView extends RecordView {
  @Field(oneOf(TIME_OFF_TYPES), { description: 'What it is for.', example: 'vacation' })
  type!: TimeOffType;

  @Field(days(MAX_DAYS), { description: 'Days that a whole year gives.', example: 28 })
  daysPerYear!: number;

  @Field(oneOf(ACCRUALS), { description: 'When the days come.', example: 'yearly' })
  accrual!: Accrual;

  @Field(days(MAX_DAYS), { description: 'Most days that go over into the next year.', example: 5 })
  carryOverDays!: number;

  @Field(days(MAX_DAYS), { description: 'How far a balance may fall below zero.', example: 0 })
  allowNegativeDays!: number;
}
