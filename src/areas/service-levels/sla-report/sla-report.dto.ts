import { Field, flag, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { AnnouncedWindow } from '#libs/maintenance/announced-window.js';
import { COMMITTED_METRICS, type CommittedMetric } from './commitments.js';

export const SERVICES = ['api', 'webhooks', 'ai'] as const;
export type Service = (typeof SERVICES)[number];
/** Days of a report that is not of a month. */
export const MOST_DAYS = 92;
const MAX_POINTS = MOST_DAYS * 24;

const count = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const percent = () => number({ min: 0, max: 100 });
const ms = () => integer({ min: 0, max: 10_000 });
const time = () =>
  text({
    min: 10,
    max: 40,
    pattern: /^\d{4}-\d\d-\d\d(T.+)?$/,
    form: 'a date such as 2026-11-01 or an RFC 3339 instant',
  });

export class SlaQuery {
  @Field(text({ min: 7, max: 7, pattern: /^\d{4}-(0[1-9]|1[0-2])$/, form: 'a month such as 2026-10' }), {
    description: 'Calendar month (UTC); the current one by default. Stored versions of a closed month never change.',
    example: '2026-10',
    optional: true,
  })
  month?: string;

  @Field(integer({ min: 1, max: 1_000_000 }), {
    description: 'Version of a closed month; the latest by default.',
    example: 1,
    optional: true,
  })
  version?: number;

  @Field(time(), { description: 'Start, instead of a month: a date (UTC) or an instant.', optional: true })
  from?: string;

  @Field(time(), {
    description: `End (excluded), with \`from\`; now by default. The range can be at most ${MOST_DAYS} days.`,
    optional: true,
  })
  to?: string;

  @Field(oneOf(['day', 'hour']), { description: 'Length of a step of the series; `day` by default.', optional: true })
  granularity?: 'day' | 'hour';

  @Field(oneOf([...SERVICES, 'all']), { description: 'Service to report on; `all` by default.', optional: true })
  service?: Service | 'all';
}

export class SlaPeriod {
  @Field(text({ max: 7 }), { description: 'The month; null for another span.', example: '2026-10', nullable: true })
  month!: string | null;

  @Field(instant(), { description: 'Start of what was measured: not before the tenant was created.' })
  from!: string;

  @Field(instant(), { description: 'End of what was measured (excluded): not after now.' })
  to!: string;

  @Field(flag(), { description: 'Whether the month is closed, so that the report never changes.', example: true })
  closed!: boolean;
}

export class SlaCommitment {
  @Field(oneOf(COMMITTED_METRICS), { description: 'The metric.', example: 'api.availabilityPercent' })
  metric!: CommittedMetric;

  @Field(percent(), { description: 'Its promised value per month, in percent.', example: 99.9 })
  target!: number;
}

export class SlaPoint {
  @Field(instant(), { description: 'Start of the hour or day (UTC).' })
  at!: string;

  @Field(percent(), { description: 'Availability.', example: 99.98, nullable: true })
  availabilityPercent!: number | null;

  @Field(count(), { description: 'Good events.', example: 9_998 })
  goodRequests!: number;

  @Field(count(), { description: 'Valid events.', example: 10_000 })
  totalRequests!: number;

  @Field(count(), { description: 'Bad minutes.', example: 0, nullable: true })
  badMinutes!: number | null;
}

export class SlaResult {
  @Field(oneOf(SERVICES), { description: 'The service.', example: 'api' })
  service!: Service;

  @Field(percent(), {
    description: 'Good ÷ valid × 100, rounded down to three decimals; null without events.',
    example: 99.982,
    nullable: true,
  })
  availabilityPercent!: number | null;

  @Field(count(), { description: 'Good requests, deliveries or AI jobs.', example: 99_982 })
  goodRequests!: number;

  @Field(count(), { description: 'Valid requests, deliveries or AI jobs.', example: 100_000 })
  totalRequests!: number;

  @Field(count(), { description: 'Bad minutes; null for services other than `api`.', example: 2, nullable: true })
  badMinutes!: number | null;

  @Field(ms(), { description: 'Median latency; null for services other than `api`.', example: 12, nullable: true })
  p50Ms!: number | null;

  @Field(ms(), { description: '95th percentile; null for services other than `api`.', example: 48, nullable: true })
  p95Ms!: number | null;

  @Field(ms(), { description: '99th percentile; null for services other than `api`.', example: 180, nullable: true })
  p99Ms!: number | null;

  @Field(listOf(nested(SlaPoint), { max: MAX_POINTS }), { description: 'Hours or days with events, in order.' })
  series!: SlaPoint[];
}

export class SlaWebhooks {
  @Field(percent(), {
    description: 'Share of deliveries within five minutes; null without any.',
    example: 99.7,
    nullable: true,
  })
  deliveredPercent!: number | null;

  @Field(number({ min: 0, max: Number.MAX_SAFE_INTEGER }), {
    description: '95th percentile of the delay, of the deliveries that are still kept; null without any.',
    example: 0.42,
    nullable: true,
  })
  p95DelaySeconds!: number | null;
}

export class SlaBreach {
  @Field(oneOf(COMMITTED_METRICS), { description: 'The metric.', example: 'api.availabilityPercent' })
  metric!: CommittedMetric;

  @Field(percent(), { description: 'The promised value.', example: 99.9 })
  target!: number;

  @Field(percent(), { description: 'The measured value.', example: 99.42 })
  actual!: number;
}

export class SlaCredit {
  @Field(percent(), {
    description: 'Share of the monthly fee; null if the availability of the API is not known.',
    example: 10,
    nullable: true,
  })
  percent!: number | null;

  @Field(text({ max: 300 }), { description: 'How it was computed.' })
  note!: string;
}

export class SlaFormulas {
  @Field(text({ max: 600 }), { description: 'Good and valid events.' }) availability!: string;
  @Field(text({ max: 600 }), { description: 'Bad minutes.' }) badMinutes!: string;
  @Field(text({ max: 600 }), { description: 'Percentiles.' }) latency!: string;
  @Field(text({ max: 600 }), { description: 'Maintenance.' }) maintenance!: string;
  @Field(text({ max: 600 }), { description: 'Coverage.' }) coverage!: string;
}

export class SlaCorrection {
  @Field(text({ max: 500 }), {
    description: 'Reason of the operator.',
    example: 'Figures of one process arrived after the month was closed.',
  })
  reason!: string;

  @Field(instant(), { description: 'Time of the correction.' })
  at!: string;
}

export class SlaReport {
  @Field(id(), { description: 'Id of the tenant.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01' })
  tenantId!: string;

  @Field(integer({ min: 1, max: 1_000_000 }), {
    description: 'Version of the report of a closed month; null for other periods.',
    example: 1,
    nullable: true,
  })
  version!: number | null;

  @Field(integer({ min: 1, max: 1_000_000 }), {
    description: 'Latest version of the closed month; read earlier ones with `version`. Null for other periods.',
    example: 1,
    nullable: true,
  })
  latestVersion!: number | null;

  @Field(nested(SlaCorrection), {
    description: 'Why this version replaces the one before it; null for the first version.',
    nullable: true,
  })
  correction!: SlaCorrection | null;

  @Field(nested(SlaPeriod), { description: 'What was measured.' })
  period!: SlaPeriod;

  @Field(listOf(nested(SlaCommitment), { max: 10 }), { description: 'What the plan, or an agreement, promises.' })
  commitments!: SlaCommitment[];

  @Field(listOf(nested(SlaResult), { max: SERVICES.length }), { description: 'One result per service.' })
  results!: SlaResult[];

  @Field(nested(SlaWebhooks), { description: 'Deliveries of webhooks.' })
  webhooks!: SlaWebhooks;

  @Field(listOf(nested(AnnouncedWindow), { max: 1_000 }), { description: 'Announced maintenance in the period.' })
  maintenance!: AnnouncedWindow[];

  @Field(percent(), {
    description: 'Share of the minutes outside maintenance in which the API was up; null without any.',
    example: 99.998,
    nullable: true,
  })
  coveragePercent!: number | null;

  @Field(count(), { description: 'Minutes outside maintenance in which no process was up.', example: 0 })
  uncoveredMinutes!: number;

  @Field(listOf(nested(SlaBreach), { max: 10 }), { description: 'Commitments that were not met; only of a month.' })
  breaches!: SlaBreach[];

  @Field(nested(SlaCredit), { description: 'The credit that follows from the breaches. It is not paid by itself.' })
  serviceCredit!: SlaCredit;

  @Field(nested(SlaFormulas), { description: 'How the figures are computed.' })
  formulas!: SlaFormulas;

  @Field(instant(), { description: 'Time of these figures.' })
  asOf!: string;
}
