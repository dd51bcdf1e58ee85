import { civilDate, Field, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { filter, type ListOptions, listQuery } from '#libs/resource/list-query.js';
import { ActorView, pageOf } from '#libs/resource/record.dto.js';
import { EMPLOYMENT_TYPES, type EmploymentType } from './employee.parts.js';

export const PAY_PERIODS = ['hour', 'month', 'year'] as const;
export type PayPeriod = (typeof PAY_PERIODS)[number];

/** What an employee is paid. */
export interface Pay {
  payAmountMinor: number | null;
  payCurrency: string | null;
  payPeriod: PayPeriod | null;
}

export const PAY_FIELDS = ['payAmountMinor', 'payCurrency', 'payPeriod'] as const;
export const NO_PAY: Pay = { payAmountMinor: null, payCurrency: null, payPeriod: null };

/** Fields for the pay in the body of an operation; all three or none. */
export abstract class PayInput {
  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Pay in minor units. Needs the scope employees.compensation:write; goes with currency and period.',
    optional: true,
  })
  payAmountMinor!: number;

  @Field(currencyCode(), { description: 'ISO 4217 code of the pay.', optional: true })
  payCurrency!: string;

  @Field(oneOf(PAY_PERIODS), { description: 'What the pay is for.', optional: true })
  payPeriod!: PayPeriod;
}

export class ChangeEmployment extends PayInput {
  @Field(civilDate(), {
    description: 'From when it holds; also a day in the past. There is one change for a day.',
    example: '2027-01-01',
  })
  effectiveDate!: string;

  @Field(text({ max: 200 }), { description: 'Job title; as before if not given.', optional: true, nullable: true })
  jobTitle!: string | null;

  @Field(id(), { description: 'Department; as before if not given.', optional: true, nullable: true })
  departmentId!: string | null;

  @Field(id(), { description: 'Manager; as before if not given.', optional: true, nullable: true })
  managerId!: string | null;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment; as before if not given.', optional: true })
  employmentType!: EmploymentType;

  @Field(text({ min: 1, max: 500 }), { description: 'Why; kept in the history and the audit log.', optional: true })
  reason!: string;
}

/** What held from a day on. */
export class EmploymentView {
  @Field(id(), { description: 'Id of the entry.' })
  id!: string;

  @Field(id(), { description: 'The employee.' })
  employeeId!: string;

  @Field(civilDate(), { description: 'From when it holds, until the next entry does.', example: '2026-11-01' })
  effectiveDate!: string;

  @Field(text({ max: 200 }), { description: 'Job title.', nullable: true, example: 'Engineer' })
  jobTitle!: string | null;

  @Field(id(), { description: 'Department.', nullable: true })
  departmentId!: string | null;

  @Field(id(), { description: 'Manager.', nullable: true })
  managerId!: string | null;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment.', example: 'full_time' })
  employmentType!: EmploymentType;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Pay in minor units; absent without the scope employees.compensation:read.',
    nullable: true,
    optional: true,
  })
  payAmountMinor?: number | null;

  @Field(currencyCode(), { description: 'ISO 4217 code of the pay.', nullable: true, optional: true })
  payCurrency?: string | null;

  @Field(oneOf(PAY_PERIODS), { description: 'What the pay is for.', nullable: true, optional: true })
  payPeriod?: PayPeriod | null;

  @Field(text({ max: 500 }), { description: 'Why it changed.', nullable: true })
  reason!: string | null;

  @Field(instant(), { description: 'When it was entered.' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'Who entered it.' })
  createdBy!: ActorView;
}

export const employmentList: ListOptions = {
  filters: { effectiveDate: filter.ordered(civilDate()), createdAt: filter.ordered(instant()) },
  sorts: ['effectiveDate'],
  defaultSort: '-effectiveDate',
};
export const EmploymentQuery = listQuery('EmploymentQuery', employmentList);
export const EmploymentPage = pageOf(EmploymentView);

export const SENSITIVE_FIELDS = ['nationalId', 'bankAccount'] as const;
export type SensitiveField = (typeof SENSITIVE_FIELDS)[number];

export class RevealFields {
  @Field(listOf(oneOf(SENSITIVE_FIELDS), { min: 1, max: 2, unique: true }), {
    description: 'What to show.',
    example: ['bankAccount'],
  })
  fields!: SensitiveField[];

  @Field(text({ min: 1, max: 500 }), { description: 'Why; kept in the audit log.', example: 'Payroll of November' })
  reason!: string;
}

/** Values that answers mask elsewhere. What was not asked for is absent. */
export class RevealedFields {
  @Field(id(), { description: 'The employee.' })
  id!: string;

  @Field(text({ max: 64 }), { description: 'National id; null when there is none.', nullable: true, optional: true })
  nationalId?: string | null;

  @Field(text({ max: 64 }), { description: 'Bank account; null when there is none.', nullable: true, optional: true })
  bankAccount?: string | null;
}
