import { Field, integer, nested, oneOf } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR, toMajor, toMinor } from '#libs/kernel/money.js';
import { Problem } from '#libs/kernel/problem.js';
import { refuseRevaluation } from '#libs/resource/records/revaluation.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { invalid } from '../violations.js';

export const BILLING_MODELS = ['none', 'fixed', 'time_and_materials', 'retainer'] as const;
export type BillingModel = (typeof BILLING_MODELS)[number];
export const INVOICE_MOMENTS = ['milestone', 'month_end', 'completion', 'manual'] as const;
export type InvoiceMoment = (typeof INVOICE_MOMENTS)[number];

/** Limit that keeps the sum of all amounts of a project exact. */
const MAX_RATE_MINOR = 1_000_000_000;
export const MAX_MINUTES = 10_000_000;

/** Billing settings of a project. */
export class BillingInput {
  @Field(oneOf(BILLING_MODELS), { description: 'Billing model; `none` by default.', example: 'fixed', optional: true })
  model!: BillingModel;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description:
      'Budget in minor units; for a retainer, the amount of a month. If `budget` is sent as well, both must be the same amount.',
    optional: true,
    nullable: true,
  })
  budgetMinor!: number | null;

  @Field(currencyCode(), {
    description: 'ISO 4217 code of budget and rate; by default the tenant’s base currency.',
    optional: true,
  })
  currency!: string;

  @Field(integer({ min: 0, max: MAX_RATE_MINOR }), {
    description: 'Price of an hour in minor units.',
    optional: true,
    nullable: true,
  })
  hourlyRateMinor!: number | null;

  @Field(integer({ min: 0, max: MAX_MINUTES }), {
    description: 'Budget in minutes.',
    optional: true,
    nullable: true,
  })
  budgetMinutes!: number | null;

  @Field(oneOf(INVOICE_MOMENTS), {
    description:
      'When drafts of invoices are created. `month_end`: for each month, the approved time (`time_and_materials`) or the budget (`retainer`). `completion`: the rest of the budget (`fixed`) or the approved time. Reached milestones add a line except with `manual`.',
    optional: true,
    nullable: true,
  })
  invoiceOn!: InvoiceMoment | null;
}

/** The part of a project's body that is about billing. */
class BilledInput {
  @Field(nested(BillingInput), { description: 'Billing.', optional: true })
  billing!: BillingInput;
}

export class BillingView {
  @Field(oneOf(BILLING_MODELS), { description: 'Billing model.', example: 'fixed' })
  model!: BillingModel;

  @Field(integer({ min: 0, max: MAX_MINOR }), { description: 'Budget in minor units.', nullable: true })
  budgetMinor!: number | null;

  @Field(currencyCode(), { description: 'ISO 4217 code of budget and rate.', example: 'USD' })
  currency!: string;

  @Field(integer({ min: 0, max: MAX_RATE_MINOR }), {
    description: 'Price of an hour in minor units.',
    nullable: true,
  })
  hourlyRateMinor!: number | null;

  @Field(integer({ min: 0, max: MAX_MINUTES }), { description: 'Budget in minutes.', nullable: true })
  budgetMinutes!: number | null;

  @Field(oneOf(INVOICE_MOMENTS), { description: 'Time at which drafts of invoices are created.', nullable: true })
  invoiceOn!: InvoiceMoment | null;
}

/** Billing as stored in a project row. */
interface BillingColumns {
  billingModel: BillingModel;
  budgetMinor: number | null;
  currency: string;
  hourlyRateMinor: number | null;
  budgetMinutes: number | null;
  invoiceOn: InvoiceMoment | null;
}

/** Billing columns of a project without billing. */
export function noBilling(): BillingColumns {
  return {
    billingModel: 'none',
    budgetMinor: null,
    currency: currentTenant().currency,
    hourlyRateMinor: null,
    budgetMinutes: null,
    invoiceOn: null,
  };
}

/** The part of a project template that is about billing. */
interface BilledTemplate {
  billing: Partial<BillingInput> | null;
  milestones: readonly { billableMinor: number | null }[];
}

/**
 * Billing columns of a project that a template is used for.
 * @throws Problem 400 if the project is in another currency than amounts of the template.
 */
export function billingFrom(
  { billing, milestones }: BilledTemplate,
  input: { billing?: Partial<BillingInput>; budget?: number | null },
): BillingColumns {
  const columns = mergeBilling(noBilling(), { billing: billing ?? {} });
  const { currency } = columns;
  const isOther = (input.billing?.currency ?? currency) !== currency;
  if (isOther && milestones.some(({ billableMinor }) => billableMinor))
    throw invalid(
      '/billing/currency',
      'currency_mismatch',
      `The milestones of the template have amounts in ${currency}.`,
    );
  refuseRevaluation(BilledInput, billingOf(columns), input, currency);
  return columns;
}

/**
 * Merges `billing` and `budget` (in major units) into the stored billing columns.
 * @throws Problem 400 for too many decimals, `amount_mismatch` when both forms of the budget disagree.
 */
export function mergeBilling(
  present: BillingColumns,
  input: { billing?: Partial<BillingInput>; budget?: number | null },
): BillingColumns {
  const { billing = {}, budget } = input;
  const { model, ...rest } = billing;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const merged: BillingColumns = {
    billingModel: model ?? present.billingModel,
    budgetMinor: present.budgetMinor,
    currency: present.currency,
    hourlyRateMinor: present.hourlyRateMinor,
    budgetMinutes: present.budgetMinutes,
    invoiceOn: present.invoiceOn,
    ...given,
  };
  return budget === undefined
    ? merged
    : { ...merged, budgetMinor: minorOf(budget, billing.budgetMinor, merged.currency) };
}

function minorOf(budget: number | null, budgetMinor: number | null | undefined, currency: string): number | null {
  // From 2^46, several minor amounts map to the same JSON number. A value that was read must be accepted when sent
  // back.
  if (budget !== null && budgetMinor != null && toMajor(budgetMinor, currency) === budget) return budgetMinor;
  const converted = budget === null ? null : toMinor(budget, currency);
  if (budget !== null && converted === null)
    throw invalid(
      '/budget',
      'out_of_range',
      `The budget must fit ${currency}: no more decimals than it has, and within the exact range.`,
    );
  if (budgetMinor !== undefined && budgetMinor !== converted)
    throw new Problem('amount_mismatch', 'budget and billing.budgetMinor are different amounts.');
  return converted;
}

/** Billing as the API shows it. */
export function billingOf(row: BillingColumns): { billing: BillingView; budget: number | null } {
  const { billingModel: model, budgetMinor, currency, hourlyRateMinor, budgetMinutes, invoiceOn } = row;
  return {
    billing: { model, budgetMinor, currency, hourlyRateMinor, budgetMinutes, invoiceOn },
    budget: budgetMinor === null ? null : toMajor(budgetMinor, currency),
  };
}
