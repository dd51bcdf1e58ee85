import {
  civilDate,
  Field,
  flag,
  id,
  instant,
  integer,
  listOf,
  nested,
  number,
  oneOf,
  text,
  type FieldSpec,
} from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { LineInput, LineView, MAX_LINES } from '#libs/lines/line.dto.js';
import { mergePatchOf, RecordInput, RecordView } from '#libs/resource/record.dto.js';
import { FORECAST_CATEGORIES, type ForecastCategory } from '../pipelines/pipeline.stages.js';
import { dealLifecycle, type DealStatus } from './deal.lifecycle.js';

export const DEAL_TYPES = ['new_business', 'expansion', 'renewal'] as const;
export const DEAL_SOURCES = [
  'inbound',
  'outbound',
  'referral',
  'partner',
  'event',
  'demo_request',
  'import',
  'other',
] as const;
export const LOST_REASONS = ['price', 'no_decision', 'competitor', 'timing', 'fit', 'other'] as const;

export const stageKey = () => text({ min: 1, max: 40 });
const contactIds = () => listOf(id(), { max: 50, unique: true });
export const percent = () => integer({ min: 0, max: 100 });

/** What a customer pays again and again. */
export class Recurring {
  @Field(integer({ min: 1, max: 12 }), { description: 'Months from one payment to the next.', example: 12 })
  intervalMonths!: number;

  @Field(integer({ min: 0, max: MAX_MINOR }), { description: 'Amount of a payment in minor units.', example: 2500000 })
  amountMinor!: number;

  @Field(integer({ min: 1, max: 600 }), { description: 'Length of the contract in months.', example: 24 })
  termMonths!: number;

  @Field(civilDate(), { description: 'First day.', example: '2027-01-01' })
  startDate!: string;
}

export class CreateDeal extends RecordInput {
  @Field(number({ min: 0, max: MAX_MINOR }), {
    description: 'Value in major units, with at most as many decimals as the currency has.',
    example: 25000,
    optional: true,
    nullable: true,
  })
  value!: number | null;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Value in minor units. If `value` is sent too, both must agree. With lines it is their net total.',
    example: 2500000,
    optional: true,
    nullable: true,
  })
  valueMinor!: number | null;

  @Field(currencyCode(), {
    description: 'ISO 4217 code; the account’s or the tenant’s own if not given.',
    example: 'USD',
    optional: true,
  })
  currency!: string;

  @Field(id(), { description: 'Pipeline; the default one if not given.', optional: true })
  pipelineId!: string;

  @Field(stageKey(), {
    description: 'Key of an open stage; the first one if not given.',
    example: 'proposal',
    optional: true,
  })
  stage!: string;

  @Field(percent(), { description: 'Chance of winning in percent; the stage’s if not given.', optional: true })
  probability!: number;

  @Field(oneOf(FORECAST_CATEGORIES), {
    description: 'Where the forecast counts it; the stage’s if not given.',
    optional: true,
  })
  forecastCategory!: ForecastCategory;

  @Field(civilDate(), { description: 'When it should close.', example: '2026-12-18', optional: true, nullable: true })
  expectedCloseDate!: string | null;

  @Field(oneOf(DEAL_TYPES), { description: 'Kind of business; new_business if not given.', optional: true })
  dealType!: (typeof DEAL_TYPES)[number];

  @Field(oneOf(DEAL_SOURCES), { description: 'Where it came from; other if not given.', optional: true })
  source!: (typeof DEAL_SOURCES)[number];

  @Field(id(), { description: 'Account that would buy.', optional: true, nullable: true })
  accountId!: string | null;

  @Field(id(), {
    description: 'First contact. Contacts belong to the account or to none.',
    optional: true,
    nullable: true,
  })
  primaryContactId!: string | null;

  @Field(contactIds(), { description: 'Further contacts.', optional: true })
  contactIds!: string[];

  @Field(listOf(nested(LineInput), { max: MAX_LINES }), {
    description: 'What would be sold. The value is their net total then.',
    optional: true,
  })
  lineItems!: LineInput[];

  @Field(nested(Recurring), { description: 'Recurring part.', optional: true, nullable: true })
  recurring!: Recurring | null;

  @Field(id(), { description: 'The deal that this one renews.', optional: true, nullable: true })
  renewalOfDealId!: string | null;

  @Field(text({ max: 500 }), {
    description: 'What happens next.',
    example: 'Send the offer',
    optional: true,
    nullable: true,
  })
  nextStep!: string | null;

  @Field(civilDate(), { description: 'When it happens.', optional: true, nullable: true })
  nextStepDate!: string | null;
}

const lostReason: FieldSpec = { kind: oneOf(LOST_REASONS), description: 'Why it was lost.', example: 'price' };
const lostNotes: FieldSpec = {
  kind: text({ max: 5_000 }),
  description: 'More about why.',
  optional: true,
  nullable: true,
};
const competitor: FieldSpec = { kind: text({ max: 200 }), description: 'Who won it.', optional: true, nullable: true };
const force: FieldSpec = {
  kind: flag(),
  description: 'Win it even if fields are empty that the won stage asks for.',
  optional: true,
};
const closedAt: FieldSpec = { kind: instant(), description: 'When it was closed; now if not given.', optional: true };
const reason: FieldSpec = { kind: text({ min: 1, max: 500 }), description: 'Why; kept in the audit log.' };

/** A merge patch; with `status`, `stage` or `pipelineId` it is the transition that these name. */
export const UpdateDeal = mergePatchOf('UpdateDeal', CreateDeal, {
  status: { kind: oneOf(dealLifecycle.states), description: 'Shorthand for win, lose and reopen.', optional: true },
  lostReason: { ...lostReason, optional: true },
  lostNotes,
  competitor,
  closedAt,
  force,
  reason: { ...reason, optional: true },
});

export class MoveDeal {
  @Field(stageKey(), { description: 'Key of another open stage of the pipeline.', example: 'negotiation' })
  stage!: string;

  @Field(percent(), { description: 'Chance of winning; the stage’s if not given.', optional: true })
  probability!: number;

  @Field(oneOf(FORECAST_CATEGORIES), {
    description: 'Where the forecast counts it; the stage’s if not given.',
    optional: true,
  })
  forecastCategory!: ForecastCategory;
}

export class ChangeDealPipeline {
  @Field(id(), { description: 'The other pipeline.' })
  pipelineId!: string;

  @Field(stageKey(), { description: 'Key of an open stage of it; the first one if not given.', optional: true })
  stage!: string;
}

export class WinDeal {
  @Field(closedAt.kind, { description: closedAt.description, optional: true })
  closedAt!: string;

  @Field(force.kind, { description: force.description, optional: true })
  force!: boolean;
}

export class LoseDeal {
  @Field(lostReason.kind, { description: lostReason.description, example: 'price' })
  lostReason!: (typeof LOST_REASONS)[number];

  @Field(lostNotes.kind, { description: lostNotes.description, optional: true, nullable: true })
  lostNotes!: string | null;

  @Field(competitor.kind, { description: competitor.description, optional: true, nullable: true })
  competitor!: string | null;

  @Field(closedAt.kind, { description: closedAt.description, optional: true })
  closedAt!: string;
}

export class ReopenDeal {
  @Field(reason.kind, { description: reason.description, example: 'The customer came back' })
  reason!: string;

  @Field(stageKey(), { description: 'Key of an open stage; the first one if not given.', optional: true })
  stage!: string;
}

export class DealView extends RecordView {
  @Field(number({ min: 0, max: MAX_MINOR }), { description: 'Value in major units.', example: 25000, nullable: true })
  value!: number | null;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Value in minor units.',
    example: 2500000,
    nullable: true,
  })
  valueMinor!: number | null;

  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(id(), { description: 'Pipeline.' })
  pipelineId!: string;

  @Field(stageKey(), { description: 'Key of the stage.', example: 'qualification' })
  stage!: string;

  @Field(oneOf(dealLifecycle.states), { description: 'Category of the stage.', example: 'open' })
  status!: DealStatus;

  @Field(percent(), { description: 'Chance of winning in percent.', example: 10 })
  probability!: number;

  @Field(oneOf(FORECAST_CATEGORIES), { description: 'Where the forecast counts it.', example: 'pipeline' })
  forecastCategory!: ForecastCategory;

  @Field(civilDate(), { description: 'When it should close.', nullable: true })
  expectedCloseDate!: string | null;

  @Field(oneOf(DEAL_TYPES), { description: 'Kind of business.', example: 'new_business' })
  dealType!: string;

  @Field(oneOf(DEAL_SOURCES), { description: 'Where it came from.', example: 'other' })
  source!: string;

  @Field(id(), { description: 'Account that would buy.', nullable: true })
  accountId!: string | null;

  @Field(id(), { description: 'First contact.', nullable: true })
  primaryContactId!: string | null;

  @Field(contactIds(), { description: 'Further contacts.', example: [] })
  contactIds!: string[];

  @Field(listOf(nested(LineView), { max: MAX_LINES }), { description: 'What would be sold.', example: [] })
  lineItems!: LineView[];

  @Field(nested(Recurring), { description: 'Recurring part.', nullable: true })
  recurring!: Recurring | null;

  @Field(id(), { description: 'The deal that this one renews.', nullable: true })
  renewalOfDealId!: string | null;

  @Field(text({ max: 500 }), { description: 'What happens next.', nullable: true })
  nextStep!: string | null;

  @Field(civilDate(), { description: 'When it happens.', nullable: true })
  nextStepDate!: string | null;

  @Field(oneOf(LOST_REASONS), { description: 'Why it was lost.', nullable: true })
  lostReason!: string | null;

  @Field(text({ max: 5_000 }), { description: 'More about why.', nullable: true })
  lostNotes!: string | null;

  @Field(text({ max: 200 }), { description: 'Who won it.', nullable: true })
  competitor!: string | null;

  @Field(instant(), { description: 'When it was won or lost.', nullable: true })
  closedAt!: string | null;

  @Field(instant(), { description: 'Since when it is in its stage.' })
  stageEnteredAt!: string;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Value times probability, in minor units, rounded half up.',
    example: 250000,
    nullable: true,
  })
  weightedValueMinor!: number | null;

  @Field(integer({ min: 0, max: 100_000 }), { description: 'Whole days in its stage.', example: 3 })
  daysInStage!: number;

  @Field(flag(), { description: 'Open and in its stage for longer than the stage allows.' })
  isStale!: boolean;
}
