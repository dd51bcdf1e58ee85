import { civilDate, flag, id, instant, integer, oneOf, text } from '#libs/http/field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { Attribute, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { workspaceOfWhole } from '#libs/resource/types/part-of.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { MEMBER } from '#libs/resource/access/references.js';
import { trashActions } from '#libs/resource/types/standard-actions.js';
import { DAY_MINUTES, minutes, note, RejectTimeEntry } from './time-entry.actions.js';

const STATES = ['draft', 'submitted', 'approved', 'rejected', 'invoiced'] as const;
const TASK_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22';
const minor = integer({ min: 0, max: MAX_MINOR });

/** Time that a member has spent, with or without a project or task. */
export class TimeEntry extends RecordRow {
  @Attribute(id(), 'Membership that spent the time; by default the member that the caller acts for.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b23',
    optional: true,
    names: MEMBER,
    filter: filter.member(),
    privacy: 'personal',
  })
  membershipId!: string;

  @Attribute(id(), 'Project that the time was spent on; by default that of the task.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b24',
    nullable: true,
    filter: true,
  })
  projectId!: string | null;

  @Attribute(id(), 'Task that the time was spent on.', { example: TASK_ID, nullable: true, filter: true })
  taskId!: string | null;

  @Attribute(
    civilDate(),
    'Day on which the time was spent, not in the future and at most 20 years ago; by default today in the time zone of the tenant.',
    {
      example: '2026-11-20',
      optional: true,
      filter: true,
      sort: true,
    },
  )
  workDate!: string;

  @Attribute(
    integer({ min: 0, max: DAY_MINUTES }),
    'Length in minutes; null while the timer runs. The entries of a member for one day add up to at most 1,440. It is 0 only if nothing was left of the day when a timer was stopped.',
    { given: minutes(), example: 90, nullable: 'shown', filter: true, sort: true },
  )
  minutes!: number | null;

  @ReadOnly(instant(), 'Time at which the timer was started; null when it does not run.', { nullable: true })
  runningSince!: string | null;

  @Attribute(flag(), 'Whether the time can be invoiced; false by default.', {
    default: false,
    example: true,
    filter: true,
  })
  billable!: boolean;

  @Attribute(note(), 'Description of the work.', { example: 'Moved the data', nullable: true, privacy: 'personal' })
  note!: string | null;

  @ReadOnly(oneOf(STATES), 'State of the life cycle.', { example: 'draft', filter: true })
  status!: (typeof STATES)[number];

  @ReadOnly(text({ max: 500 }), 'Reason for the rejection.', { nullable: true, privacy: 'personal' })
  rejectedReason!: string | null;

  @ReadOnly(instant(), 'Time of approval; null before.', { nullable: true })
  approvedAt!: string | null;

  @ReadOnly(minor, 'Price of an hour when it was approved, in minor units of the project’s currency.', {
    nullable: true,
  })
  rateMinor!: number | null;

  @ReadOnly(minor, 'Value at that price in minor units, rounded half up.', { nullable: true })
  amountMinor!: number | null;

  @ReadOnly(id(), 'Invoice line that charges for it.', { nullable: true, filter: true })
  invoiceLineId!: string | null;
}

export const timeEntries = recordType(TimeEntry, {
  area: 'work',
  collection: 'time-entries',
  noun: 'time entry',
  prefix: 'TIME',
  permissions: { read: 'time-entries:read', write: 'time-entries:write' },
  reach: {
    person: 'membershipId',
    own: ['t.membership_id = :me'],
    workspace: workspaceOfWhole('data.work_projects', 'project_id'),
  },
  name: {
    example: 'Moved the data',
    about: 'Label; by default the first line of the note, or the day.',
    optional: true,
  },
  named: { projectId: { table: 'data.work_projects' }, taskId: { table: 'data.work_tasks' } },
  inputs: { reject: RejectTimeEntry },
  problems: {
    create: ['limit_reached'],
    update: ['limit_reached', 'not_an_approver', 'record_locked', 'timer_running'],
    submit: ['timer_running'],
    approve: ['not_an_approver'],
    restore: ['limit_reached', 'timer_running'],
  },
  bodies: {
    create: { note: 'Moved the data', taskId: TASK_ID, minutes: 90, billable: true },
    update: { minutes: 75 },
  },
  filters: { isRunning: filter.condition(`(t.running_since is not null)`) },
  lifecycle: lifecycle({
    states: STATES,
    initial: 'draft',
    transitions: {
      submit: {
        from: ['draft'],
        to: 'submitted',
        permission: 'time-entries:write',
        event: 'submitted',
        summary: 'Submit a time entry for approval',
        happened: 'A time entry was submitted for approval.',
      },
      approve: {
        from: ['submitted'],
        to: 'approved',
        permission: 'time-entries:approve',
        event: 'approved',
        summary: 'Approve a time entry of somebody else',
        happened: 'A time entry was approved.',
        risk: 'medium',
      },
      reject: {
        from: ['submitted'],
        to: 'rejected',
        permission: 'time-entries:approve',
        event: 'rejected',
        summary: 'Reject a time entry',
        happened: 'A time entry was rejected.',
      },
      revise: {
        from: ['rejected'],
        to: 'draft',
        permission: 'time-entries:write',
        event: 'revised',
        summary: 'Return a rejected time entry to draft',
        happened: 'A rejected time entry was returned to draft.',
      },
      invoice: {
        from: ['approved'],
        to: 'invoiced',
        permission: 'invoices:issue',
        event: 'invoiced',
        summary: 'Mark a time entry as invoiced',
        happened: 'A time entry was invoiced.',
        risk: 'medium',
        byPlatform: true,
      },
      release: {
        from: ['invoiced'],
        to: 'approved',
        permission: 'invoices:void',
        event: 'released',
        summary: 'Take a time entry off its invoice',
        happened: 'A time entry was taken off its invoice.',
        risk: 'medium',
        byPlatform: true,
      },
      ...trashActions('time entry', ['draft', 'rejected'], 'time-entries:delete'),
    },
  }),
});

export type ShownTimeEntry = Shown<TimeEntry>;
export type TimeEntryAction = keyof typeof timeEntries.lifecycle.transitions;
