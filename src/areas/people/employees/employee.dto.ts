import {
  addFields,
  civilDate,
  Field,
  fieldsOf,
  id,
  instant,
  integer,
  listOf,
  name,
  nested,
  oneOf,
  text,
} from '#libs/http/field.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { RehireEmployee, StartOffboarding, SuspendEmployee, TerminateEmployee } from './employee.actions.js';
import { employeeLifecycle, type EmployeeStatus } from './employee.lifecycle.js';
import {
  EmployeeAddress,
  email,
  EmergencyContact,
  EMPLOYMENT_TYPES,
  type EmploymentType,
  WorkLocation,
  phone,
  secretNumber,
  Skill,
  TERMINATION_TYPES,
  USUAL_SCHEDULE,
  WorkSchedule,
} from './employee.parts.js';
import { ChangeEmployment, PAY_FIELDS, PayInput, type PayPeriod } from './employment.dto.js';

const OPEN = { optional: true, nullable: true } as const;

const contacts = () => listOf(nested(EmergencyContact), { max: 10 });
const skills = () => listOf(nested(Skill), { max: 100 });

/** What else than its name an employee can be made and changed with. */
export class CreateEmployee extends RecordInput {
  @Field(name(), {
    description: 'What they are called; made of the other names if not given, and taken apart if it is the only one.',
    example: 'Ada Okafor',
    optional: true,
  })
  declare name: string;

  @Field(name(100), { description: 'First names.', ...OPEN })
  firstName!: string | null;

  @Field(name(100), { description: 'Last name.', ...OPEN })
  lastName!: string | null;

  @Field(name(), { description: 'What they like to be called.', ...OPEN })
  preferredName!: string | null;

  @Field(email(), { description: 'Address at work; one employee at a time has it.', ...OPEN })
  workEmail!: string | null;

  @Field(text({ max: 200 }), { description: 'Job title.', example: 'Engineer', ...OPEN })
  jobTitle!: string | null;

  @Field(id(), { description: 'Department.', ...OPEN })
  departmentId!: string | null;

  @Field(id(), { description: 'Employee that they report to.', ...OPEN })
  managerId!: string | null;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment; full_time if not given.', optional: true })
  employmentType!: EmploymentType;

  @Field(nested(WorkLocation), { description: 'Where they work.', ...OPEN })
  location!: WorkLocation | null;

  @Field(civilDate(), { description: 'First day.', example: '2026-11-02', ...OPEN })
  startDate!: string | null;

  @Field(civilDate(), { description: 'End of the probation.', ...OPEN })
  probationEndDate!: string | null;

  @Field(civilDate(), { description: 'End of a contract that has one.', ...OPEN })
  contractEndDate!: string | null;

  @Field(email(), { description: 'Private address; personal.', ...OPEN })
  personalEmail!: string | null;

  @Field(phone(), { description: 'Private telephone number; personal.', ...OPEN })
  phone!: string | null;

  @Field(nested(EmployeeAddress), { description: 'Where they live; personal.', ...OPEN })
  address!: EmployeeAddress | null;

  @Field(civilDate(), { description: 'Date of birth; personal.', ...OPEN })
  dateOfBirth!: string | null;

  @Field(contacts(), { description: 'Whom to call in an emergency; personal.', optional: true })
  emergencyContacts!: EmergencyContact[];

  @Field(secretNumber(), { description: 'National id; stored encrypted, shown masked.', ...OPEN })
  nationalId!: string | null;

  @Field(secretNumber(), { description: 'Bank account; stored encrypted, shown masked.', ...OPEN })
  bankAccount!: string | null;

  @Field(skills(), { description: 'What they can do.', optional: true })
  skills!: Skill[];

  @Field(nested(WorkSchedule), {
    description: 'When they work; 40 hours from Monday to Friday if not given.',
    optional: true,
  })
  workSchedule!: WorkSchedule;

  @Field(id(), {
    description: 'Membership of the same person; needs the scope employees:manage, and is never one’s own.',
    ...OPEN,
  })
  membershipId!: string | null;

  @Field(oneOf(['pending']), {
    description: 'To begin as pending in any case; else employees are active from their first day on.',
    optional: true,
  })
  status!: 'pending';
}
addFields(CreateEmployee, fieldsOf(PayInput));

/** Bodies of the actions that take one. */
export const EMPLOYEE_INPUTS = {
  suspend: SuspendEmployee,
  start_offboarding: StartOffboarding,
  terminate: TerminateEmployee,
  rehire: RehireEmployee,
  change_employment: ChangeEmployment,
};

/** A merge patch; pay changes with a change of the employment alone. */
export const UpdateEmployee = updateOf(
  'UpdateEmployee',
  CreateEmployee,
  { field: 'status', lifecycle: employeeLifecycle, inputs: EMPLOYEE_INPUTS },
  ['status', ...PAY_FIELDS],
);

/** The body of a creation, validated. */
export interface NewEmployee extends CreateEmployee {
  payAmountMinor?: number;
  payCurrency?: string;
  payPeriod?: PayPeriod;
  /** Where the employee comes from; only other areas say so. */
  candidateId?: string;
  mappingId?: string;
}

export class EmployeeView extends RecordView {
  @Field(text({ max: 40 }), { description: 'Number of the employee, never used again.', example: 'EMP-00001' })
  employeeNumber!: string;

  @Field(oneOf(employeeLifecycle.states), { description: 'Where they stand.', example: 'active' })
  status!: EmployeeStatus;

  @Field(name(), { description: 'First names.', nullable: true, example: 'Ada' })
  firstName!: string | null;

  @Field(name(), { description: 'Last name.', nullable: true, example: 'Okafor' })
  lastName!: string | null;

  @Field(name(), { description: 'What they like to be called.', nullable: true })
  preferredName!: string | null;

  @Field(email(), { description: 'Address at work.', nullable: true })
  workEmail!: string | null;

  @Field(text({ max: 200 }), { description: 'Job title.', nullable: true, example: 'Engineer' })
  jobTitle!: string | null;

  @Field(id(), { description: 'Department.', nullable: true })
  departmentId!: string | null;

  @Field(id(), { description: 'Employee that they report to.', nullable: true })
  managerId!: string | null;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment.', example: 'full_time' })
  employmentType!: EmploymentType;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Entries that were made in the history of the employment so far.',
    example: 1,
  })
  employmentCount!: number;

  @Field(nested(WorkLocation), { description: 'Where they work.', nullable: true })
  location!: WorkLocation | null;

  @Field(civilDate(), { description: 'First day.', nullable: true })
  startDate!: string | null;

  @Field(civilDate(), { description: 'End of the probation.', nullable: true })
  probationEndDate!: string | null;

  @Field(civilDate(), { description: 'End of a contract that has one.', nullable: true })
  contractEndDate!: string | null;

  @Field(civilDate(), { description: 'Last day. Personal.', ...OPEN })
  terminationDate?: string | null;

  @Field(oneOf(TERMINATION_TYPES), { description: 'Kind of termination. Personal.', ...OPEN })
  terminationType?: string | null;

  @Field(text({ max: 2_000 }), { description: 'Why they were terminated. Personal.', ...OPEN })
  terminationReason?: string | null;

  @Field(instant(), { description: 'When a terminated employee lost all access.', nullable: true })
  accessRemovedAt!: string | null;

  @Field(email(), { description: 'Private address. Personal.', ...OPEN })
  personalEmail?: string | null;

  @Field(phone(), { description: 'Private telephone number. Personal.', ...OPEN })
  phone?: string | null;

  @Field(nested(EmployeeAddress), { description: 'Where they live. Personal.', ...OPEN })
  address?: EmployeeAddress | null;

  @Field(civilDate(), { description: 'Date of birth. Personal.', ...OPEN })
  dateOfBirth?: string | null;

  @Field(contacts(), { description: 'Whom to call in an emergency. Personal.', optional: true })
  emergencyContacts?: EmergencyContact[];

  @Field(text({ max: 64 }), { description: 'National id, masked. Sensitive.', ...OPEN })
  nationalId?: string | null;

  @Field(text({ max: 64 }), { description: 'Bank account, masked. Sensitive.', ...OPEN })
  bankAccount?: string | null;

  @Field(skills(), { description: 'What they can do.', example: [] })
  skills!: Skill[];

  @Field(nested(WorkSchedule), { description: 'When they work.', example: USUAL_SCHEDULE })
  workSchedule!: WorkSchedule;

  @Field(id(), { description: 'Membership of the same person.', nullable: true })
  membershipId!: string | null;

  @Field(id(), { description: 'Candidate that they were. Personal.', ...OPEN })
  candidateId?: string | null;

  @Field(id(), { description: 'Mapping that made them. Personal.', ...OPEN })
  mappingId?: string | null;
}

/** What only some may see of an employee. */
export const PERSONAL_FIELDS = [
  'terminationDate',
  'terminationType',
  'terminationReason',
  'personalEmail',
  'phone',
  'address',
  'dateOfBirth',
  'emergencyContacts',
  'candidateId',
  'mappingId',
] as const;
