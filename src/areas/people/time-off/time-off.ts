import { Column } from 'typeorm';
import { civilDate, flag, id, instant, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { member } from '#libs/resource/types/envelope.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { workspaceOfWhole } from '#libs/resource/types/part-of.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { days, TIME_OFF_TYPES, type TimeOffType } from '../half-days.js';
import { LIVE_EMPLOYEE } from '../references.js';
import { RejectTimeOff } from './time-off.actions.js';
import { timeOffLifecycle, type TimeOffStatus } from './time-off.lifecycle.js';

/** SQL condition on the employee of a row `t`: one of the employees `e` for whom `sql` is true. */
const ofEmployees = (sql: string) => `t.employee_id = any(array(select e.id from data.people_employees e ${sql}))`;
const OF_MEMBER = ofEmployees('where e.tenant_id = :tenant and e.membership_id = any(:values::uuid[])');
const OF_MANAGER = ofEmployees(`join data.people_employees m on m.tenant_id = e.tenant_id and m.id = e.manager_id
  where e.tenant_id = :tenant and m.membership_id = any(:values::uuid[])`);

const EMPLOYEE_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60';

/** Days on which an employee is away. */
export class TimeOff extends RecordRow {
  @Attribute(id(), 'Employee who is away.', {
    example: EMPLOYEE_ID,
    once: true,
    names: LIVE_EMPLOYEE,
    filter: true,
    privacy: 'personal',
  })
  employeeId!: string;

  @Attribute(oneOf(TIME_OFF_TYPES), 'Type of time off.', { example: 'vacation', filter: true, privacy: 'sensitive' })
  type!: TimeOffType;

  @ReadOnly(oneOf(timeOffLifecycle.states), 'State of the request.', { example: 'requested', filter: true })
  status!: TimeOffStatus;

  @Attribute(civilDate(), 'First day.', { example: '2026-12-21', filter: true, sort: true, privacy: 'personal' })
  startDate!: string;

  @Attribute(civilDate(), 'Last day; not before the first one.', {
    example: '2026-12-31',
    filter: true,
    sort: true,
    privacy: 'personal',
  })
  endDate!: string;

  @Attribute(flag(), 'Whether the first day is free only from noon; false by default.', { default: false })
  startHalf!: boolean;

  @Attribute(flag(), 'Whether the last day is free only until noon; false by default.', { default: false })
  endHalf!: boolean;

  @Derived(
    days({ min: 0.5, max: 732 }),
    'Working days that it takes, by the work schedule and the calendar of the employee.',
    {
      example: 9,
    },
  )
  days?: number;

  @Column('integer', { name: 'half_days' })
  halfDays!: number;

  @Attribute(text({ max: 2_000 }), 'Note.', { nullable: true, privacy: 'sensitive' })
  note!: string | null;

  @ReadOnly(instant(), 'Time of the approval or rejection.', { nullable: true })
  decidedAt!: string | null;
}

export type ShownTimeOff = Shown<TimeOff>;

export const timeOff = recordType(TimeOff, {
  area: 'people',
  collection: 'time-off',
  noun: 'time off',
  prefix: 'TO',
  partOf: 'employeeId',
  permissions: { read: 'time-off:read', write: 'time-off:write' },
  reach: {
    person: 'employeeId',
    own: [
      `t.employee_id = any(array(select e.id from data.people_employees e where e.tenant_id = :tenant and e.membership_id = :me))`,
    ],
    workspace: workspaceOfWhole('data.people_employees', 'employee_id'),
  },
  name: {
    example: 'Time off 2026-12-21 to 2026-12-31',
    about: 'Label; made from the dates by default.',
    optional: true,
    privacy: 'personal',
  },
  lifecycle: timeOffLifecycle,
  inputs: { reject: RejectTimeOff },
  problems: {
    create: ['time_off_overlap', 'balance_exceeded'],
    update: ['time_off_overlap', 'balance_exceeded', 'record_locked', 'not_by_oneself'],
    approve: ['balance_exceeded', 'not_by_oneself'],
    reject: ['not_by_oneself'],
    restore: ['time_off_overlap'],
  },
  filters: {
    membershipId: { ...filter.related(member(), OF_MEMBER), person: true },
    managerMembershipId: { ...filter.related(member(), OF_MANAGER), person: true },
  },
  bodies: {
    create: { employeeId: EMPLOYEE_ID, type: 'vacation', startDate: '2026-12-21', endDate: '2026-12-31' },
    update: { endDate: '2026-12-30' },
  },
});
