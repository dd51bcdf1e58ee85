import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { EmployeeStatus } from './employee.lifecycle.js';
import type {
  EmployeeAddress,
  EmergencyContact,
  EmploymentType,
  WorkLocation,
  Skill,
  TerminationType,
  WorkSchedule,
} from './employee.parts.js';
import type { Pay } from './employment.dto.js';

/**
 * `jobTitle`, `departmentId`, `managerId` and `employmentType` are those of the newest employment row that is not in the
 * future. `nationalId` and `bankAccount` are sealed; their masks are what may be shown.
 */
@Entity({ schema: 'data', name: 'people_employees' })
export class Employee extends RecordRow {
  /** What a new employee takes along to the first row of its history; no column. `startsAt` is null for who begins at once. */
  hire?: { effectiveDate: string; startsAt: string | null; pay: Pay };

  @Column('text', { name: 'first_name', nullable: true })
  firstName!: string | null;

  @Column('text', { name: 'last_name', nullable: true })
  lastName!: string | null;

  @Column('text', { name: 'preferred_name', nullable: true })
  preferredName!: string | null;

  @Column('text', { name: 'employee_number' })
  employeeNumber!: string;

  @Column('text')
  status!: EmployeeStatus;

  @Column('text', { name: 'suspended_from', nullable: true })
  suspendedFrom!: 'active' | 'on_leave' | null;

  @Column('text', { name: 'work_email', nullable: true })
  workEmail!: string | null;

  @Column('text', { name: 'job_title', nullable: true })
  jobTitle!: string | null;

  @Column('uuid', { name: 'department_id', nullable: true })
  departmentId!: string | null;

  @Column('uuid', { name: 'manager_id', nullable: true })
  managerId!: string | null;

  @Column('text', { name: 'employment_type' })
  employmentType!: EmploymentType;

  @Column('integer', { name: 'employment_count' })
  employmentCount!: number;

  @Column('jsonb', { nullable: true })
  location!: WorkLocation | null;

  @Column('date', { name: 'start_date', nullable: true })
  startDate!: string | null;

  @Column('date', { name: 'probation_end_date', nullable: true })
  probationEndDate!: string | null;

  @Column('date', { name: 'contract_end_date', nullable: true })
  contractEndDate!: string | null;

  @Column('date', { name: 'termination_date', nullable: true })
  terminationDate!: string | null;

  @Column('text', { name: 'termination_type', nullable: true })
  terminationType!: TerminationType | null;

  @Column('text', { name: 'termination_reason', nullable: true })
  terminationReason!: string | null;

  @Column('timestamptz', { name: 'access_removed_at', nullable: true })
  accessRemovedAt!: string | null;

  @Column('text', { name: 'personal_email', nullable: true })
  personalEmail!: string | null;

  @Column('text', { nullable: true })
  phone!: string | null;

  @Column('jsonb', { nullable: true })
  address!: EmployeeAddress | null;

  @Column('date', { name: 'date_of_birth', nullable: true })
  dateOfBirth!: string | null;

  @Column('jsonb', { name: 'emergency_contacts' })
  emergencyContacts!: EmergencyContact[];

  @Column('text', { name: 'national_id', nullable: true })
  nationalId!: string | null;

  @Column('text', { name: 'national_id_mask', nullable: true })
  nationalIdMask!: string | null;

  @Column('text', { name: 'bank_account', nullable: true })
  bankAccount!: string | null;

  @Column('text', { name: 'bank_account_mask', nullable: true })
  bankAccountMask!: string | null;

  @Column('jsonb')
  skills!: Skill[];

  @Column('jsonb', { name: 'work_schedule' })
  workSchedule!: WorkSchedule;

  @Column('uuid', { name: 'membership_id', nullable: true })
  membershipId!: string | null;

  @Column('uuid', { name: 'candidate_id', nullable: true })
  candidateId!: string | null;

  @Column('uuid', { name: 'mapping_id', nullable: true })
  mappingId!: string | null;
}
