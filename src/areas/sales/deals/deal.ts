import { Column } from 'typeorm';
import { civilDate, flag, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { LineInput, LineView, MAX_LINES } from '#libs/lines/line.dto.js';
import { Attribute, Derived, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { updateOf } from '#libs/resource/types/record.dto.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { lostReason } from '#libs/settings/settings.model.js';
import { LIVE_ACCOUNT } from '../accounts/account.js';
import { LIVE_CONTACT } from '../contacts/contact.js';
import { FORECAST_CATEGORIES, type ForecastCategory } from '../pipelines/pipeline.stages.js';
import { DEAL_INPUTS } from './deal.actions.js';
import { dealLifecycle, type DealStatus } from './deal.lifecycle.js';
import {
  competitorName,
  DEAL_SOURCES,
  DEAL_TYPES,
  dealAmount,
  lossNotes,
  percent,
  Recurring,
  stageKey,
} from './deal.parts.js';

/** A sales opportunity with an account. */
export class Deal extends RecordRow {
  @Mapped(
    number({ min: 0, max: MAX_MINOR }),
    'Value in major units, with at most as many decimals as the currency has.',
    { example: 25000, nullable: true },
  )
  value?: number | null;

  @Attribute(
    dealAmount,
    'Value in minor units. If `value` is sent too, both must agree. With line items it is their net total.',
    { example: 2500000, nullable: true, filter: true, sort: true },
  )
  valueMinor!: number | null;

  @Attribute(currencyCode(), 'ISO 4217 code; by default that of the account, else the tenant’s base currency.', {
    example: 'USD',
    optional: true,
    filter: true,
  })
  currency!: string;

  @Attribute(id(), 'Pipeline; the default pipeline if absent.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
    optional: true,
    filter: true,
  })
  pipelineId!: string;

  @Attribute(stageKey, 'Key of the stage. A new deal starts in an open stage, by default the first one.', {
    example: 'qualification',
    optional: true,
    filter: true,
  })
  stage!: string;

  @ReadOnly(oneOf(dealLifecycle.states), 'Category of the stage.', { example: 'open', filter: true })
  status!: DealStatus;

  @Attribute(percent, 'Chance of winning in percent; by default that of the stage.', {
    example: 10,
    optional: true,
    filter: true,
    sort: true,
  })
  probability!: number;

  @Attribute(oneOf(FORECAST_CATEGORIES), 'Forecast category; by default that of the stage.', {
    example: 'pipeline',
    optional: true,
    filter: true,
  })
  forecastCategory!: ForecastCategory;

  @Attribute(civilDate(), 'Expected date of closing.', {
    example: '2026-12-18',
    nullable: true,
    filter: true,
    sort: true,
  })
  expectedCloseDate!: string | null;

  @Attribute(oneOf(DEAL_TYPES), 'Kind of business; `new_business` by default.', {
    default: 'new_business',
    filter: true,
  })
  dealType!: (typeof DEAL_TYPES)[number];

  @Attribute(oneOf(DEAL_SOURCES), 'Source of the deal; `other` by default.', { default: 'other', filter: true })
  source!: (typeof DEAL_SOURCES)[number];

  @Attribute(id(), 'Account that would buy.', { nullable: true, names: LIVE_ACCOUNT, filter: true })
  accountId!: string | null;

  @Attribute(id(), 'Primary contact. Contacts of a deal belong to its account or to none.', {
    nullable: true,
    names: LIVE_CONTACT,
    filter: true,
  })
  primaryContactId!: string | null;

  @Attribute(listOf(id(), { max: 50, unique: true }), 'Further contacts.', { default: [], names: LIVE_CONTACT })
  contactIds!: string[];

  @Attribute(
    listOf(nested(LineView), { max: MAX_LINES }),
    'Line items. If there are any, the value of the deal is their net total.',
    { given: listOf(nested(LineInput), { max: MAX_LINES }), default: [] },
  )
  lineItems!: LineView[];

  @Attribute(nested(Recurring), 'Recurring part of the deal.', { nullable: true })
  recurring!: Recurring | null;

  @Attribute(id(), 'Deal that this one renews.', { nullable: true, filter: true })
  renewalOfDealId!: string | null;

  @Attribute(text({ max: 500 }), 'Next step.', { example: 'Send the offer', nullable: true })
  nextStep!: string | null;

  @Attribute(civilDate(), 'Date of the next step.', { nullable: true, filter: true })
  nextStepDate!: string | null;

  @ReadOnly(id(), 'Latest handoff to delivery.', { nullable: true })
  handoffId!: string | null;

  @ReadOnly(id(), 'Project that the handoff has created.', { nullable: true })
  projectId!: string | null;

  @ReadOnly(listOf(id(), { max: 50 }), 'Proposals that had been accepted when the deal was won.', { default: [] })
  acceptedProposalIds!: string[];

  @ReadOnly(lostReason(), 'Reason for the loss.', { example: 'price', nullable: true, filter: true })
  lostReason!: string | null;

  @ReadOnly(lossNotes, 'Details of the loss.', { nullable: true })
  lostNotes!: string | null;

  @ReadOnly(competitorName, 'Competitor that won the deal.', { nullable: true })
  competitor!: string | null;

  @ReadOnly(instant(), 'Time at which the deal was won or lost.', { nullable: true, filter: true, sort: true })
  closedAt!: string | null;

  @ReadOnly(instant(), 'Time at which the deal entered its stage.', {
    example: '2026-11-21T09:15:02.114Z',
    filter: true,
    sort: true,
  })
  stageEnteredAt!: string;

  @Derived(dealAmount, 'Value times probability in minor units, rounded half up.', {
    example: 250000,
    nullable: true,
  })
  weightedValueMinor?: number | null;

  @Derived(integer({ min: 0, max: 100_000 }), 'Whole days in the present stage.', { example: 3 })
  daysInStage?: number;

  @Derived(flag(), 'True for an open deal that has been in its stage for longer than the stage allows.', {
    example: false,
    filter: filter.condition(`coalesce(t.status = 'open' and t.stale_at <= :now, false)`),
  })
  isStale?: boolean;

  /** Instant at which the deal exceeds the maximum time in its stage; null for never. */
  @Column('timestamptz', { name: 'stale_at', nullable: true })
  staleAt!: string | null;
}

/** A deal as a request body. */
export type DealBody = Omit<Partial<Deal>, 'lineItems'> & { lineItems?: LineInput[] };
export type ShownDeal = Omit<Shown<Deal>, 'staleAt'>;

const type = recordType(Deal, {
  area: 'sales',
  collection: 'deals',
  noun: 'deal',
  prefix: 'DEAL',
  permissions: { read: 'deals:read', write: 'deals:write' },
  name: { example: 'Acme renewal' },
  lifecycle: dealLifecycle,
  stageField: 'stage',
  stateField: null, // a patch can also stand for moves within a state, see deal.shorthand.ts
  inputs: DEAL_INPUTS,
  createsTogether: true,
  retention: ['closedAt'],
  labels: { pipelineId: { table: 'data.sales_pipelines' } },
  named: { renewalOfDealId: { table: 'data.sales_deals' }, projectId: { table: 'data.work_projects' } },
  gateFacts: ['maxDiscountPercent', 'targetProbability'],
  problems: {
    create: ['amount_mismatch', 'gate_denied'],
    update: [
      'amount_mismatch',
      'record_locked',
      'invalid_transition',
      'required_fields_missing',
      'reopen_window_passed',
    ],
    move: ['required_fields_missing'],
    change_pipeline: ['required_fields_missing'],
    win: ['required_fields_missing'],
    reopen: ['reopen_window_passed', 'record_locked'],
    delete: ['record_locked'],
  },
  besides: {
    update: [
      {
        scope: 'deals:close',
        when: 'If the change wins, loses or reopens the deal, or if it changes the value or currency of a won deal.',
      },
    ],
  },
  bodies: {
    create: { name: 'Acme renewal', value: 25000 },
    update: { value: 27500.5, nextStep: 'Send the offer', expectedCloseDate: null },
    win: { closedAt: '2026-11-20T16:00:00.000Z' },
    lose: { lostReason: 'price', competitor: 'Globex' },
  },
});

/** A patch with `status`, `stage` or `pipelineId` runs the corresponding action. */
export const deals = {
  ...type,
  update: updateOf('UpdateDeal', type.create, { field: 'status', lifecycle: dealLifecycle, inputs: DEAL_INPUTS }),
};
