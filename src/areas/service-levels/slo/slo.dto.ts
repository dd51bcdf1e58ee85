import { constant, Field, flag, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { ONE_PAGE, PageInfo } from '#libs/resource/types/record.dto.js';
import { BURN_WINDOWS, type BurnWindow, type SloStatus } from './slo-engine.js';
import { INDICATOR_KINDS, type IndicatorKind, SLO_TYPE } from './slo.js';

export const MAX_SLOS = 50;
export const SLO_STATUSES = ['healthy', 'burning_slow', 'burning_fast', 'exhausted', 'no_data'] as const;
export const GRANULARITIES = ['hour', 'day'] as const;
/** Hours of the longest window, and one more at its edge. */
const MAX_POINTS = 90 * 24 + 1;
const KEY = 'availability_of_deals';
const SLO_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1f01';

const key = () => text({ min: 1, max: 60, pattern: /^[a-z][a-z0-9_]*$/, form: 'a key such as api_latency' });
const title = () => text({ min: 1, max: 200 });
const objective = () => number({ min: 50, max: 99.999 });
const count = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const share = () => number({ min: 0, max: 100 });
const amount = () => number({ min: 0, max: Number.MAX_SAFE_INTEGER });

export class SloIndicator {
  @Field(oneOf(INDICATOR_KINDS), {
    description:
      '`availability`: requests without a failure of the service. `latency`: requests that were also answered within `thresholdMs`. `webhook_delivery`: deliveries within `thresholdMs`. `ai_success`: AI jobs that succeeded, of those that succeeded or failed.',
    example: 'availability',
  })
  kind!: IndicatorKind;

  @Field(text({ min: 1, max: 200, pattern: /^\/[A-Za-z0-9_/:*.-]*$/, form: 'a path such as /api/v1/sales/*' }), {
    description:
      'Routes to measure, with `*` for any text; all if null. Only for `availability` and `latency`. Parameters of a path are written as in `/api/v1/sales/deals/:id`.',
    example: '/api/v1/sales/deals*',
    nullable: true,
    optional: true,
  })
  routePattern?: string | null;

  @Field(integer({ min: 1, max: 86_400_000 }), {
    description:
      'Longest good latency in ms. Required for `latency`: one of 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000 and 10000. For `webhook_delivery` it defaults to 300000.',
    example: null,
    nullable: true,
    optional: true,
  })
  thresholdMs?: number | null;
}

/** One objective to change or create. */
export class SloChange {
  @Field(id(), { description: 'Objective to change. Alternatively send its `key`.', optional: true })
  id?: string;

  @Field(key(), { description: 'Key of the objective. An unknown key creates it.', example: KEY, optional: true })
  key?: string;

  @Field(title(), { description: 'Name; the key by default.', example: 'Availability of deals', optional: true })
  name?: string;

  @Field(nested(SloIndicator), { description: 'What is measured. Required for a new objective.', optional: true })
  indicator?: SloIndicator;

  @Field(objective(), {
    description: 'Share of good events in percent, with at most three decimals. Required for a new objective.',
    example: 99.9,
    optional: true,
  })
  objectivePercent?: number;

  @Field(integer({ min: 7, max: 90 }), {
    description: 'Length of the window in days: 7, 28, 30 or 90; 30 by default.',
    example: 30,
    optional: true,
  })
  windowDays?: number;

  @Field(flag(), { description: 'Whether it is measured; true by default.', optional: true })
  enabled?: boolean;

  @Field(id(), { description: 'Member who is responsible for it.', nullable: true, optional: true })
  ownerId?: string | null;

  @Field(flag(), { description: 'Whether a fast burn emits an event; true by default.', optional: true })
  alerting?: boolean;

  @Field(flag(), { description: 'True archives the objective, false restores it.', optional: true })
  archived?: boolean;
}

export class ChangeSlos extends SloChange {
  @Field(listOf(nested(SloChange), { min: 1, max: MAX_SLOS }), {
    description: 'Several objectives, each once, instead of the fields of one.',
    optional: true,
  })
  slos?: SloChange[];
}

export class SloQuery extends PageQuery {
  @Field(key(), { description: 'Only the objective with this key.', optional: true })
  key?: string;

  @Field(oneOf(SLO_STATUSES), { description: 'Only objectives in this status.', optional: true })
  status?: SloStatus;

  @Field(listOf(oneOf(['series']), { max: 1 }), { description: '`series` adds the counts over time.', optional: true })
  include?: string[];

  @Field(oneOf(GRANULARITIES), { description: 'Length of a step of the series; `day` by default.', optional: true })
  granularity?: (typeof GRANULARITIES)[number];
}

asksForNames(SloQuery, 'the defaults, then by age');

const rate = () => number({ min: 0, max: 1_000_000 });
const rateOf = (window: string) => ({
  description: `Over the last ${window}; null without events.`,
  example: 0.5,
  nullable: true,
});

/** Multiples of the pace that would use up the budget exactly at the end of the window. */
export class BurnRates implements Record<BurnWindow, number | null> {
  @Field(rate(), rateOf('5 minutes')) '5m'!: number | null;
  @Field(rate(), rateOf('30 minutes')) '30m'!: number | null;
  @Field(rate(), rateOf('hour')) '1h'!: number | null;
  @Field(rate(), rateOf('2 hours')) '2h'!: number | null;
  @Field(rate(), rateOf('6 hours')) '6h'!: number | null;
  @Field(rate(), rateOf('day')) '1d'!: number | null;
  @Field(rate(), rateOf('3 days')) '3d'!: number | null;
  @Field(rate(), rateOf('4 days')) '4d'!: number | null;
}

export class SloPoint {
  @Field(instant(), { description: 'Start of the hour or day (UTC).' })
  at!: string;

  @Field(count(), { description: 'Good events.', example: 1_820 })
  good!: number;

  @Field(count(), { description: 'Valid events.', example: 1_822 })
  total!: number;
}

/** An objective, as events show it. */
export class SloFacts {
  @Field(id(), { description: 'Id of the objective.', example: SLO_ID })
  id!: string;

  @Field(constant(SLO_TYPE), { description: 'Type of the object.', example: SLO_TYPE })
  object!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Increases by one with each change.', example: 1 })
  version!: number;

  @Field(key(), { description: 'Its key, unique in the tenant.', example: KEY })
  key!: string;

  @Field(title(), { description: 'Its name.', example: 'Availability of deals' })
  name!: string;

  @Field(nested(SloIndicator), { description: 'Figure that is measured.' })
  indicator!: SloIndicator;

  @Field(objective(), { description: 'Share of good events in percent.', example: 99.9 })
  objectivePercent!: number;

  @Field(integer({ min: 7, max: 90 }), { description: 'Length of the window in days.', example: 30 })
  windowDays!: number;

  @Field(flag(), { description: 'Whether it is measured.', example: true })
  enabled!: boolean;

  @Field(id(), { description: 'Member who is responsible for it.', nullable: true })
  ownerId!: string | null;

  @Field(flag(), { description: 'Whether a fast burn emits an event.', example: true })
  alerting!: boolean;

  @Field(instant(), { description: 'Time of archiving.', nullable: true })
  archivedAt!: string | null;

  @Field(instant(), { description: 'Time of creation.' })
  createdAt!: string;

  @Field(instant(), { description: 'Time of the last change.' })
  updatedAt!: string;
}

/** An objective with its figures. */
export class SloView extends SloFacts {
  @Field(count(), { description: 'Valid events in the window.', example: 10_000 })
  total!: number;

  @Field(count(), { description: 'Good ones among them.', example: 9_995 })
  good!: number;

  @Field(share(), {
    description: '`good` ÷ `total` × 100, rounded down; null without events.',
    example: 99.95,
    nullable: true,
  })
  sliPercent!: number | null;

  @Field(amount(), { description: 'Bad events that the objective allows: (1 − objective) × `total`.', example: 10 })
  budgetTotal!: number;

  @Field(amount(), {
    description: 'Share of the budget that is used; more than 100 if it is overspent. Null without events.',
    example: 50,
    nullable: true,
  })
  budgetUsedPercent!: number | null;

  @Field(share(), {
    description: 'Share of the budget that is left; null without events.',
    example: 50,
    nullable: true,
  })
  budgetRemainingPercent!: number | null;

  @Field(nested(BurnRates), { description: 'How fast the budget is used. 1 uses it up at the end of the window.' })
  burnRates!: BurnRates;

  @Field(instant(), {
    description:
      'When the budget is spent at the pace of the last six hours; null if it is spent already, or not within a window.',
    nullable: true,
  })
  projectedExhaustionAt!: string | null;

  @Field(oneOf(SLO_STATUSES), {
    description:
      '`exhausted` once the budget is spent, else `burning_fast`, `burning_slow` or `healthy`; `no_data` without events. For 30 days, a fast burn is a rate of 14.4 over one hour and 5 minutes, or of 6 over 6 hours and 30 minutes; a slow one is 1 over 3 days and 6 hours. The short window needs 100 events, 10 of them bad. For other windows the rates grow in proportion.',
    example: 'healthy',
  })
  status!: SloStatus;

  @Field(instant(), { description: 'Since when a fast burn alert is open; null if none is.', nullable: true })
  alertingSince!: string | null;

  @Field(instant(), { description: 'Time of these figures.' })
  asOf!: string;

  @Field(listOf(nested(SloPoint), { max: MAX_POINTS }), {
    description: 'Hours or days with events, in order; with `include=series`.',
    optional: true,
  })
  series?: SloPoint[];
}

export class SloList {
  @Field(listOf(nested(SloView), { max: MAX_SLOS }), { description: 'The objectives that were named, in their order.' })
  data!: SloView[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;
}

/** The objective whose budget is used too fast, as events show it. */
export class SloAlert extends SloFacts {
  @Field(nested(BurnRates), { description: 'The burn rates at that time.' })
  burnRates!: BurnRates;

  @Field(amount(), { description: 'Share of the budget that is used.', example: 2.1, nullable: true })
  budgetUsedPercent!: number | null;

  @Field(instant(), { description: 'Start of the alert.' })
  alertingSince!: string;

  @Field(instant(), { description: 'End of the alert; null while it goes on.', nullable: true })
  recoveredAt!: string | null;
}

export const SLO_EXAMPLE = {
  id: SLO_ID,
  object: SLO_TYPE,
  version: 1,
  key: KEY,
  name: 'Availability of deals',
  indicator: { kind: 'availability', routePattern: '/api/v1/sales/deals*', thresholdMs: null },
  objectivePercent: 99.9,
  windowDays: 30,
  enabled: true,
  ownerId: null,
  alerting: true,
  archivedAt: null,
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
};

export const ALERT_EXAMPLE = {
  ...SLO_EXAMPLE,
  burnRates: Object.fromEntries(Object.keys(BURN_WINDOWS).map((window) => [window, 16])),
  budgetUsedPercent: 2.1,
  alertingSince: '2026-11-21T10:15:00.000Z',
  recoveredAt: null,
};
