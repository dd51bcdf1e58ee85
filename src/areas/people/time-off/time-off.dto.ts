import {
  civilDate,
  Field,
  flag,
  id,
  instant,
  integer,
  listOf,
  name,
  nested,
  number,
  oneOf,
  text,
} from '#libs/http/field.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { days, TIME_OFF_TYPES, type TimeOffType } from '../half-days.js';
import { timeOffLifecycle, type TimeOffStatus } from './time-off.lifecycle.js';

export class CreateTimeOff extends RecordInput {
  @Field(name(), { description: 'Label; made of the dates if not given.', example: 'Winter break', optional: true })
  declare name: string;

  @Field(id(), { description: 'Who is away.' })
  employeeId!: string;

  @Field(oneOf(TIME_OFF_TYPES), { description: 'Kind of time off.', example: 'vacation' })
  type!: TimeOffType;

  @Field(civilDate(), { description: 'First day.', example: '2026-12-21' })
  startDate!: string;

  @Field(civilDate(), { description: 'Last day.', example: '2026-12-31' })
  endDate!: string;

  @Field(flag(), { description: 'Whether it begins at noon; false if not given.', optional: true })
  startHalf!: boolean;

  @Field(flag(), { description: 'Whether it ends at noon; false if not given.', optional: true })
  endHalf!: boolean;

  @Field(text({ max: 2_000 }), { description: 'Note.', optional: true, nullable: true })
  note!: string | null;
}

export class RejectTimeOff {
  @Field(text({ min: 1, max: 500 }), { description: 'Why; kept in the audit log.', example: 'Too many are away' })
  reason!: string;
}

export const TIME_OFF_INPUTS = { reject: RejectTimeOff };

export const UpdateTimeOff = updateOf(
  'UpdateTimeOff',
  CreateTimeOff,
  { field: 'status', lifecycle: timeOffLifecycle, inputs: TIME_OFF_INPUTS },
  ['employeeId'],
);

export class TimeOffView extends RecordView {
  @Field(id(), { description: 'Who is away.' })
  employeeId!: string;

  @Field(oneOf(TIME_OFF_TYPES), { description: 'Kind of time off.', example: 'vacation' })
  type!: TimeOffType;

  @Field(oneOf(timeOffLifecycle.states), { description: 'Where it stands.', example: 'requested' })
  status!: TimeOffStatus;

  @Field(civilDate(), { description: 'First day.', example: '2026-12-21' })
  startDate!: string;

  @Field(civilDate(), { description: 'Last day.', example: '2026-12-31' })
  endDate!: string;

  @Field(flag(), { description: 'Whether it begins at noon.', example: false })
  startHalf!: boolean;

  @Field(flag(), { description: 'Whether it ends at noon.', example: false })
  endHalf!: boolean;

  @Field(days({ min: 0.5, max: 732 }), { description: 'Days of work that it takes, by the work schedule.', example: 9 })
  days!: number;

  @Field(text({ max: 2_000 }), { description: 'Note.', nullable: true })
  note!: string | null;

  @Field(instant(), { description: 'When it was approved or rejected.', nullable: true })
  decidedAt!: string | null;
}

const year = () => integer({ min: 2000, max: 2100 });
const balance = () => number({ min: -100_000, max: 100_000 });

export class TimeOffBalanceQuery {
  @Field(id(), {
    description: 'Whose balances; those of the member that the caller acts for if not given.',
    optional: true,
  })
  employeeId?: string;

  @Field(year(), { description: 'Of which year; this one if not given.', optional: true })
  year?: number;
}

/** What somebody has of one type of time off in a year, in days. */
export class TimeOffBalanceView {
  @Field(id(), { description: 'Whose balance.' })
  employeeId!: string;

  @Field(oneOf(TIME_OFF_TYPES), { description: 'Kind of time off.', example: 'vacation' })
  type!: TimeOffType;

  @Field(year(), { description: 'Year.', example: 2026 })
  year!: number;

  @Field(balance(), { description: 'Days left from the year before, or owed (negative).', example: 2 })
  carriedOver!: number;

  @Field(balance(), { description: 'Days that the year has given so far.', example: 28 })
  accrued!: number;

  @Field(balance(), { description: 'Days taken.', example: 10 })
  used!: number;

  @Field(balance(), { description: 'Days approved and not taken yet.', example: 5 })
  planned!: number;

  @Field(balance(), {
    description: 'Days left: carriedOver + accrued − used − planned; null where no policy limits the type.',
    example: 15,
    nullable: true,
  })
  available!: number | null;
}

export class TimeOffBalances {
  @Field(listOf(nested(TimeOffBalanceView), { max: TIME_OFF_TYPES.length }), {
    description: 'One for each type with a policy or with time off in the year; none for nobody.',
  })
  data!: TimeOffBalanceView[];
}
