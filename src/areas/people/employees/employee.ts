import { emailAddress } from '#libs/http/email-field.js';
import { phoneNumber } from '#libs/http/phone-field.js';
import { Column } from 'typeorm';
import { civilDate, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';
import { Attribute, Mapped, ReadOnly, WriteOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { MEMBER } from '#libs/resource/access/references.js';
import { LIVE_CALENDAR, LIVE_DEPARTMENT, LIVE_EMPLOYEE } from '../references.js';
import {
  ChangeLastDay,
  RehireEmployee,
  StartOffboarding,
  StartOnboarding,
  SuspendEmployee,
  TerminateEmployee,
} from './employee.actions.js';
import { employeeLifecycle, type EmployeeStatus } from './employee.lifecycle.js';
import {
  country,
  EmergencyContact,
  EmployeeAddress,
  EMPLOYMENT_TYPES,
  type EmploymentType,
  secretNumber,
  Skill,
  TERMINATION_TYPES,
  type TerminationType,
  USUAL_SCHEDULE,
  WorkLocation,
  WorkSchedule,
} from './employee.parts.js';
import { ChangeEmployment, type Pay, PAY_KINDS, type PayPeriod } from './employment.dto.js';

const PERSONAL = { restricted: 'employees.personal:read', privacy: 'personal' } as const;
const SENSITIVE = { restricted: 'employees.sensitive:read', privacy: 'sensitive' } as const;
const PAY = { once: true, restricted: 'employees.compensation:write', privacy: 'sensitive' } as const;
const masked = text({ max: 64 });

/**
 * `jobTitle`, `departmentId`, `managerId` and `employmentType` mirror the newest employment row that is not in the
 * future. `nationalId` and `bankAccount` are encrypted; responses may show only their masks.
 */
export class Employee extends RecordRow {
  @ReadOnly(text({ max: 40 }), 'Number of the employee; never reused.', { example: 'EMP-00001', sort: true })
  employeeNumber!: string;

  @Attribute(
    oneOf(employeeLifecycle.states),
    'State of the employment. A new employee is active from the first day on. Send `pending` for somebody whose first day is not known yet.',
    { given: oneOf(['pending']), example: 'active', optional: true, once: true, filter: true, sort: true },
  )
  status!: EmployeeStatus;

  @Attribute(name(), 'First names.', { given: name(100), example: 'Ada', nullable: true, privacy: 'personal' })
  firstName!: string | null;

  @Attribute(name(), 'Last name.', { given: name(100), example: 'Okafor', nullable: true, privacy: 'personal' })
  lastName!: string | null;

  @Attribute(name(), 'Preferred name.', { nullable: true, privacy: 'personal' })
  preferredName!: string | null;

  @Attribute(emailAddress(), 'E-mail address at work. Unique among the employees who are not terminated.', {
    example: 'ada@acme.test',
    nullable: true,
    unique: true,
    privacy: 'personal',
  })
  workEmail!: string | null;

  @Attribute(text({ max: 200 }), 'Job title.', { example: 'Engineer', nullable: true })
  jobTitle!: string | null;

  @Attribute(id(), 'Department.', { nullable: true, names: LIVE_DEPARTMENT, filter: true })
  departmentId!: string | null;

  @Attribute(id(), 'Employee that this one reports to.', {
    nullable: true,
    names: { ...LIVE_EMPLOYEE, opens: 'employees.personal:read' },
    filter: true,
  })
  managerId!: string | null;

  @Attribute(oneOf(EMPLOYMENT_TYPES), 'Kind of employment; `full_time` by default.', {
    default: 'full_time',
    filter: true,
  })
  employmentType!: EmploymentType;

  @ReadOnly(integer({ min: 1, max: 2_147_483_647 }), 'Number of entries made in the employment history so far.', {
    default: 1,
  })
  employmentCount!: number;

  @Attribute(nested(WorkLocation), 'Place of work. A patch merges the members.', {
    example: { country: 'DE', region: null, city: 'Berlin', remote: false, timezone: 'Europe/Berlin' },
    nullable: true,
  })
  location!: WorkLocation | null;

  @Attribute(civilDate(), 'First day of the employment.', {
    example: '2026-11-02',
    nullable: true,
    filter: true,
    sort: true,
  })
  startDate!: string | null;

  @Attribute(civilDate(), 'Last day of the probation period; not before the first day.', { nullable: true })
  probationEndDate!: string | null;

  @Attribute(civilDate(), 'Last day of a fixed-term contract; not before the first day.', { nullable: true })
  contractEndDate!: string | null;

  @ReadOnly(civilDate(), 'Last day of the employment. Personal.', { nullable: true, filter: true, ...PERSONAL })
  terminationDate!: string | null;

  @ReadOnly(oneOf(TERMINATION_TYPES), 'Kind of termination. Personal.', {
    nullable: true,
    restricted: 'employees.personal:read',
    privacy: 'sensitive',
  })
  terminationType!: TerminationType | null;

  @ReadOnly(text({ max: 2_000 }), 'Reason for the termination. Personal.', {
    nullable: true,
    restricted: 'employees.personal:read',
    privacy: 'sensitive',
  })
  terminationReason!: string | null;

  @ReadOnly(instant(), 'Time at which a terminated employee lost all access.', { nullable: true })
  accessRemovedAt!: string | null;

  @Attribute(emailAddress(), 'Private e-mail address. Personal.', { nullable: true, ...PERSONAL })
  personalEmail!: string | null;

  @Attribute(phoneNumber(), 'Private telephone number. Personal.', { nullable: true, ...PERSONAL })
  phone!: string | null;

  @Attribute(nested(EmployeeAddress), 'Home address. A patch merges the members. Personal.', {
    nullable: true,
    ...PERSONAL,
  })
  address!: EmployeeAddress | null;

  @Attribute(civilDate(), 'Date of birth, before today and the first day. Personal.', { nullable: true, ...PERSONAL })
  dateOfBirth!: string | null;

  @Attribute(listOf(nested(EmergencyContact), { max: 10 }), 'People to call in an emergency. Personal.', {
    default: [],
    ...PERSONAL,
  })
  emergencyContacts!: EmergencyContact[];

  @Mapped(masked, 'National id. Send it in full; it is stored encrypted and shown masked. Sensitive.', {
    given: secretNumber(),
    nullable: true,
    ...SENSITIVE,
  })
  @Column('text', { name: 'national_id', nullable: true })
  nationalId!: string | null;

  @Mapped(masked, 'Bank account. Send it in full; it is stored encrypted and shown masked. Sensitive.', {
    given: secretNumber(),
    nullable: true,
    ...SENSITIVE,
  })
  @Column('text', { name: 'bank_account', nullable: true })
  bankAccount!: string | null;

  @Attribute(listOf(nested(Skill), { max: 100 }), 'Skills.', {
    default: [],
    example: [{ name: 'TypeScript', level: 4 }],
    privacy: 'personal',
  })
  skills!: Skill[];

  @Attribute(
    nested(WorkSchedule),
    'Work schedule. Defaults to the working hours of the calendar of the employee or the department, then to the work week of the settings, then to the calendar of the settings, then to 40 hours from Monday to Friday.',
    { example: USUAL_SCHEDULE, optional: true },
  )
  workSchedule!: WorkSchedule;

  @Attribute(
    id(),
    'Calendar with the holidays of the employee. If null, the calendar of the department applies, then `people.holidayCalendar`.',
    { nullable: true, names: LIVE_CALENDAR },
  )
  calendarId!: string | null;

  @Attribute(
    id(),
    'Membership of the same person. Setting it requires employees:manage; nobody can set it to their own.',
    { nullable: true, names: MEMBER, filter: filter.member(true) },
  )
  membershipId!: string | null;

  @ReadOnly(id(), 'Candidate that the employee was hired from. Personal.', { nullable: true, ...PERSONAL })
  candidateId!: string | null;

  @ReadOnly(id(), 'Mapping that created the employee. Personal.', { nullable: true, ...PERSONAL })
  mappingId!: string | null;

  @WriteOnly(
    PAY_KINDS.payAmountMinor,
    'Pay in minor units. Send currency and period with it; takes the scope employees.compensation:write.',
    PAY,
  )
  payAmountMinor?: number;

  @WriteOnly(PAY_KINDS.payCurrency, 'ISO 4217 code of the pay.', PAY)
  payCurrency?: string;

  @WriteOnly(PAY_KINDS.payPeriod, 'Period that the pay is for.', PAY)
  payPeriod?: PayPeriod;

  @Column('text', { name: 'suspended_from', nullable: true })
  suspendedFrom!: 'active' | 'on_leave' | null;

  @Column('text', { name: 'national_id_mask', nullable: true })
  nationalIdMask!: string | null;

  @Column('text', { name: 'bank_account_mask', nullable: true })
  bankAccountMask!: string | null;

  /**
   * Input for the first history row of a new employee; not a column. `startsAt` is null if employment starts
   * immediately.
   */
  hire?: { effectiveDate: string; startsAt: string | null; pay: Pay };
}

export type ShownEmployee = Shown<Employee>;

const skill = { ...text({ min: 1, max: 60 }), parse: fold };
const withMembership = [{ scope: 'employees:manage' as const, when: 'With `membershipId`.' }];

export const employees = recordType(Employee, {
  area: 'people',
  collection: 'employees',
  noun: 'employee',
  prefix: 'EMP',
  permissions: { read: 'employees:read', write: 'employees:write' },
  reach: { person: 'membershipId', own: ['t.membership_id = :me'] },
  name: {
    example: 'Ada Okafor',
    about:
      'Display name; by default the preferred name, or first and last name. Sent alone, it is split into those two.',
    optional: true,
    privacy: 'personal',
  },
  labels: { candidateId: { table: 'data.talent_candidates' } },
  retention: ['terminationDate', 'accessRemovedAt'],
  lifecycle: employeeLifecycle,
  inputs: {
    start_onboarding: StartOnboarding,
    suspend: SuspendEmployee,
    start_offboarding: StartOffboarding,
    change_last_day: ChangeLastDay,
    terminate: TerminateEmployee,
    rehire: RehireEmployee,
    change_employment: ChangeEmployment,
  },
  besides: {
    list: [{ scope: 'employees.personal:read', when: 'To filter by `terminationDate` or `employedSince`.' }],
    create: withMembership,
    update: withMembership,
    start_onboarding: [
      {
        scope: 'members:invite',
        when: 'To invite an employee whose onboarding starts; without it, those who can invite are notified.',
      },
      { scope: 'employees:manage', when: 'To invite an employee whose onboarding starts.' },
    ],
  },
  problems: {
    create: ['field_forbidden', 'not_by_oneself'],
    update: [
      'field_forbidden',
      'not_by_oneself',
      'record_locked',
      'tree_cycle',
      'last_owner',
      'seat_limit',
      'onboarding_open',
    ],
    start_onboarding: ['not_by_oneself'],
    activate: ['not_by_oneself', 'onboarding_open'],
    leave: ['not_by_oneself'],
    return: ['not_by_oneself'],
    suspend: ['not_by_oneself', 'last_owner'],
    reinstate: ['not_by_oneself', 'seat_limit'],
    start_offboarding: ['not_by_oneself'],
    withdraw_offboarding: ['not_by_oneself'],
    change_last_day: ['not_by_oneself'],
    terminate: ['not_by_oneself', 'tree_cycle', 'last_owner'],
    rehire: ['not_by_oneself', 'duplicate'],
    change_employment: ['not_by_oneself', 'field_forbidden', 'duplicate', 'tree_cycle'],
    delete: ['in_use', 'not_by_oneself'],
    restore: ['not_by_oneself'],
  },
  bodies: {
    create: { name: 'Ada Okafor', jobTitle: 'Engineer', workEmail: 'ada@acme.test', startDate: '2026-11-02' },
    update: { jobTitle: 'Senior engineer' },
    change_employment: { effectiveDate: '2027-01-01', jobTitle: 'Senior engineer', reason: 'Promotion' },
  },
  filters: {
    employedSince: filter.plain(civilDate(), 'gte', `coalesce(t.termination_date, 'infinity')`),
    'location.country': { ...filter.exact(country(), true), sql: 't.country' },
    skill: filter.related(
      skill,
      `exists (select 1 from data.people_skills x where x.tenant_id = t.tenant_id and x.skill = any(:values)
        and x.employee_id = t.id)`,
    ),
  },
});
