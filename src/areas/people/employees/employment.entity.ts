import { Column, Entity } from 'typeorm';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import type { EmploymentType } from './employee.parts.js';
import type { PayPeriod } from './employment.dto.js';

/** The employment from a date on, until the next row of the employee takes effect. */
@Entity({ schema: 'data', name: 'people_employments' })
export class Employment extends TenantRow {
  @Column('uuid', { name: 'employee_id' })
  employeeId!: string;

  @Column('date', { name: 'effective_date' })
  effectiveDate!: string;

  @Column('text', { name: 'job_title', nullable: true })
  jobTitle!: string | null;

  @Column('uuid', { name: 'department_id', nullable: true })
  departmentId!: string | null;

  @Column('uuid', { name: 'manager_id', nullable: true })
  managerId!: string | null;

  @Column('text', { name: 'employment_type' })
  employmentType!: EmploymentType;

  @Column('bigint', { name: 'pay_amount_minor', nullable: true })
  payAmountMinor!: number | null;

  @Column('text', { name: 'pay_currency', nullable: true })
  payCurrency!: string | null;

  @Column('text', { name: 'pay_period', nullable: true })
  payPeriod!: PayPeriod | null;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorStamp;
}
