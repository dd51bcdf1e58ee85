import { civilDate, Field, flag, id, instant, integer, listOf, nested, number, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { RecordLink } from '../record-link.js';

/** Maximum number of records in a list of the home page. */
export const MOST_RECORDS = 20;

const word = () => text({ max: 40 });

export class HomeTask extends RecordLink {
  @Field(id(), { description: 'Project of the task; null for a personal task.', nullable: true })
  projectId!: string | null;

  @Field(word(), { description: 'State of the task.', example: 'in_progress' })
  state!: string;

  @Field(word(), { description: 'Priority of the task.', example: 'high' })
  priority!: string;

  @Field(civilDate(), { description: 'Due date.', example: '2026-12-18' })
  dueDate!: string;
}

const tasks = () => listOf(nested(HomeTask), { max: MOST_RECORDS });

/** Open tasks that are assigned to the caller. */
export class HomeTasks {
  @Field(tasks(), { description: 'Due before today.' })
  overdue!: HomeTask[];

  @Field(tasks(), { description: 'Due today.' })
  today!: HomeTask[];

  @Field(tasks(), { description: 'Due in the 7 days after today.' })
  next7d!: HomeTask[];
}

export class HomeDeal extends RecordLink {
  @Field(integer({ min: 0, max: MAX_MINOR }), { description: 'Value in minor units.', example: 250000, nullable: true })
  valueMinor!: number | null;

  @Field(currencyCode(), { description: 'ISO 4217 code of the currency.', example: 'EUR' })
  currency!: string;

  @Field(word(), { description: 'Stage of the deal.', example: 'proposal' })
  stage!: string;

  @Field(number({ min: 0, max: 100 }), { description: 'Probability in percent.', example: 60 })
  probability!: number;

  @Field(civilDate(), { description: 'Expected closing date.', example: '2026-12-18' })
  expectedCloseDate!: string;

  @Field(id(), { description: 'Account of the deal.', nullable: true })
  accountId!: string | null;
}

export class HomeInterview extends RecordLink {
  @Field(word(), { description: 'Kind of interview.', example: 'video' })
  kind!: string;

  @Field(instant(), { description: 'Start.' })
  startAt!: string;

  @Field(instant(), { description: 'End.' })
  endAt!: string;

  @Field(text({ max: 500 }), { description: 'Room, or address of the call.', nullable: true })
  location!: string | null;

  @Field(id(), { description: 'Application that the interview is about.' })
  applicationId!: string;
}

export class HomeAbsence extends RecordLink {
  @Field(id(), { description: 'Employee who is away.' })
  employeeId!: string;

  @Field(word(), { description: 'Type of time off.', example: 'vacation' })
  type!: string;

  @Field(word(), { description: 'State of the request.', example: 'requested' })
  status!: string;

  @Field(civilDate(), { description: 'First day.', example: '2026-12-21' })
  startDate!: string;

  @Field(civilDate(), { description: 'Last day.', example: '2026-12-31' })
  endDate!: string;
}

const absences = () => listOf(nested(HomeAbsence), { max: MOST_RECORDS });

export class HomeTimeOff {
  @Field(absences(), { description: 'Your requested and approved time off that has not ended.' })
  own!: HomeAbsence[];

  @Field(absences(), {
    description:
      'Requests that wait for your decision: those of your direct reports; with `time-off:approve`, those of everybody else.',
  })
  toDecide!: HomeAbsence[];
}

/** A time entry whose timer runs. */
export class HomeTimer extends RecordLink {
  @Field(id(), { description: 'Project of the time entry.', nullable: true })
  projectId!: string | null;

  @Field(id(), { description: 'Task of the time entry.', nullable: true })
  taskId!: string | null;

  @Field(instant(), { description: 'Start of the timer.' })
  runningSince!: string;

  @Field(flag(), { description: 'Whether the time can be invoiced.', example: true })
  billable!: boolean;

  @Field(text({ max: 5_000 }), { description: 'Description of the work.', nullable: true })
  note!: string | null;
}

export class RecentRecord extends RecordLink {
  @Field(instant(), { description: 'Time of your last change.' })
  changedAt!: string;
}
