import { civilDate, Field, flag, id, instant, integer, name, oneOf, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { timeEntryLifecycle, type TimeEntryStatus } from './time-entry.lifecycle.js';

/** Minutes of a day. */
export const DAY_MINUTES = 1_440;
const minutes = () => integer({ min: 1, max: DAY_MINUTES });
const note = () => text({ max: 5_000 });

export class CreateTimeEntry extends RecordInput {
  @Field(name(), { description: 'Label; the beginning of the note or the day if not given.', optional: true })
  override name!: string;

  @Field(id(), {
    description: 'Membership whose time it is; the member that the caller acts for if not given.',
    optional: true,
  })
  membershipId!: string;

  @Field(id(), {
    description: 'Project it was spent on; the task’s if not given.',
    optional: true,
    nullable: true,
  })
  projectId!: string | null;

  @Field(id(), { description: 'Task it was spent on.', optional: true, nullable: true })
  taskId!: string | null;

  @Field(civilDate(), { description: 'Day; today if not given.', example: '2026-11-20', optional: true })
  workDate!: string;

  @Field(minutes(), {
    description: 'Length. The entries of a member for one day are at most 1,440 in sum.',
    example: 90,
  })
  minutes!: number;

  @Field(flag(), { description: 'Whether it can be invoiced; false if not given.', optional: true })
  billable!: boolean;

  @Field(note(), { description: 'What was done.', example: 'Moved the data', optional: true, nullable: true })
  note!: string | null;
}

export class RejectTimeEntry {
  @Field(text({ min: 1, max: 500 }), { description: 'Why.', example: 'The wrong project' })
  reason!: string;
}

export class StartTimer {
  @Field(id(), {
    description: 'Membership whose time it is; the member that the caller acts for if not given.',
    optional: true,
  })
  membershipId!: string;

  @Field(id(), { description: 'Project; the task’s if not given.', optional: true, nullable: true })
  projectId!: string | null;

  @Field(id(), { description: 'Task.', optional: true, nullable: true })
  taskId!: string | null;

  @Field(flag(), { description: 'Whether the time can be invoiced; false if not given.', optional: true })
  billable!: boolean;

  @Field(note(), { description: 'What is done.', optional: true, nullable: true })
  note!: string | null;
}

export class StopTimer {
  @Field(id(), {
    description: 'The running entry; that of the member that the caller acts for if not given.',
    optional: true,
  })
  id!: string;

  @Field(minutes(), {
    description: 'Length in place of the measured one, which is rounded to minutes and at least one.',
    optional: true,
  })
  minutes!: number;

  @Field(note(), { description: 'What was done.', optional: true, nullable: true })
  note!: string | null;
}

export const timeEntryInputs = { reject: RejectTimeEntry };

/** A merge patch; with `status` it is the action that leads there. */
export const UpdateTimeEntry = updateOf('UpdateTimeEntry', CreateTimeEntry, {
  field: 'status',
  lifecycle: timeEntryLifecycle,
  inputs: timeEntryInputs,
});

export class TimeEntryView extends RecordView {
  @Field(id(), { description: 'Membership whose time it is.' })
  membershipId!: string;

  @Field(id(), { description: 'Project it was spent on.', nullable: true })
  projectId!: string | null;

  @Field(id(), { description: 'Task it was spent on.', nullable: true })
  taskId!: string | null;

  @Field(civilDate(), { description: 'Day.', example: '2026-11-20' })
  workDate!: string;

  @Field(minutes(), { description: 'Length; null while the timer runs.', example: 90, nullable: true })
  minutes!: number | null;

  @Field(instant(), { description: 'Since when the timer runs.', nullable: true })
  runningSince!: string | null;

  @Field(flag(), { description: 'Whether it can be invoiced.' })
  billable!: boolean;

  @Field(note(), { description: 'What was done.', nullable: true })
  note!: string | null;

  @Field(oneOf(timeEntryLifecycle.states), { description: 'State.', example: 'draft' })
  status!: TimeEntryStatus;

  @Field(text({ max: 500 }), { description: 'Why it was rejected.', nullable: true })
  rejectedReason!: string | null;

  @Field(instant(), { description: 'When it was approved.', nullable: true })
  approvedAt!: string | null;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Price of an hour in minor units of the project’s currency, as it was at approval.',
    nullable: true,
  })
  rateMinor!: number | null;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Worth at that price, rounded half up.',
    nullable: true,
  })
  amountMinor!: number | null;

  @Field(id(), { description: 'Line of the invoice that it is on.', nullable: true })
  invoiceLineId!: string | null;
}
