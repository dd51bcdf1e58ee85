import { civilDate, Field, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { filter, type ListOptions, listQuery } from '#libs/resource/lists/list-query.js';
import { ActorView, pageOf } from '#libs/resource/types/record.dto.js';
import { EMPLOYMENT_TYPES, type EmploymentType } from './employee.parts.js';

export const PAY_PERIODS = ['hour', 'month', 'year'] as const;
export type PayPeriod = (typeof PAY_PERIODS)[number];

/** Pay of an employee. */
export interface Pay {
  payAmountMinor: number | null;
  payCurrency: string | null;
  payPeriod: PayPeriod | null;
}

export const PAY_FIELDS = ['payAmountMinor', 'payCurrency', 'payPeriod'] as const;
export const NO_PAY: Pay = { payAmountMinor: null, payCurrency: null, payPeriod: null };

/** Kinds of the pay fields. */
export const PAY_KINDS = {
  payAmountMinor: integer({ min: 0, max: MAX_MINOR }),
  payCurrency: currencyCode(),
  payPeriod: oneOf(PAY_PERIODS),
};

export class ChangeEmployment {
  @Field(PAY_KINDS.payAmountMinor, {
    description:
      'New pay in minor units. Send currency and period with it; takes the scope employees.compensation:write.',
    optional: true,
  })
  payAmountMinor!: number;

  @Field(PAY_KINDS.payCurrency, { description: 'ISO 4217 code of the pay.', optional: true })
  payCurrency!: string;

  @Field(PAY_KINDS.payPeriod, { description: 'Period that the pay is for.', optional: true })
  payPeriod!: PayPeriod;

  @Field(civilDate(), {
    description:
      'Day from which the change holds; it can be in the past, but not before the first one. A day has at most one change.',
    example: '2027-01-01',
  })
  effectiveDate!: string;

  @Field(text({ max: 200 }), { description: 'Job title; unchanged by default.', optional: true, nullable: true })
  jobTitle!: string | null;

  @Field(id(), { description: 'Department; unchanged by default.', optional: true, nullable: true })
  departmentId!: string | null;

  @Field(id(), { description: 'Manager; unchanged by default.', optional: true, nullable: true })
  managerId!: string | null;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment; unchanged by default.', optional: true })
  employmentType!: EmploymentType;

  @Field(text({ min: 1, max: 500 }), {
    description: 'Reason for the change; kept in the history and in the audit log.',
    optional: true,
  })
  reason!: string;
}

/** An employment from a date on. */
export class EmploymentView {
  @Field(id(), { description: 'Id of the entry.' })
  id!: string;

  @Field(id(), { description: 'Id of the employee.' })
  employeeId!: string;

  @Field(civilDate(), {
    description: 'Day from which the entry holds, until the next one does.',
    example: '2026-11-01',
  })
  effectiveDate!: string;

  @Field(text({ max: 200 }), { description: 'Job title.', nullable: true, example: 'Engineer' })
  jobTitle!: string | null;

  @Field(id(), { description: 'Department.', nullable: true })
  departmentId!: string | null;

  @Field(id(), { description: 'Manager.', nullable: true })
  managerId!: string | null;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment.', example: 'full_time' })
  employmentType!: EmploymentType;

  @Field(PAY_KINDS.payAmountMinor, {
    description: 'Pay in minor units; absent without the scope employees.compensation:read.',
    nullable: true,
    optional: true,
  })
  payAmountMinor?: number | null;

  @Field(PAY_KINDS.payCurrency, { description: 'ISO 4217 code of the pay.', nullable: true, optional: true })
  payCurrency?: string | null;

  @Field(PAY_KINDS.payPeriod, { description: 'Period that the pay is for.', nullable: true, optional: true })
  payPeriod?: PayPeriod | null;

  @Field(text({ max: 500 }), { description: 'Reason for the change.', nullable: true })
  reason!: string | null;

  @Field(instant(), { description: 'Time at which the entry was made.' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'Actor that made the entry.' })
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
    description: 'Fields to show.',
    example: ['bankAccount'],
  })
  fields!: SensitiveField[];

  @Field(text({ min: 1, max: 500 }), {
    description: 'Reason for the access; kept in the audit log.',
    example: 'Payroll of November',
  })
  reason!: string;
}

/** Values that other responses mask. Fields that were not requested are absent. */
export class RevealedFields {
  @Field(id(), { description: 'Id of the employee.' })
  id!: string;

  @Field(text({ max: 64 }), {
    description: 'National id in full; null when there is none.',
    nullable: true,
    optional: true,
  })
  nationalId?: string | null;

  @Field(text({ max: 64 }), {
    description: 'Bank account in full; null when there is none.',
    nullable: true,
    optional: true,
  })
  bankAccount?: string | null;
}
