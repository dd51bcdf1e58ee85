import { Field, flag, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { micros } from '../budgets/budget.js';

export const HEALTH = ['ok', 'degraded', 'paused'] as const;
export const ALERTS = [
  'paused',
  'budget_exhausted',
  'budget_threshold_reached',
  'forecast_above_budget',
  'provider_failing',
  'approvals_waiting',
] as const;
const count = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

export class WaitingJob {
  @Field(id(), { description: 'Id of the job.' })
  jobId!: string;

  @Field(text({ max: 200 }), { description: 'Name of the job.', example: 'Renewal summary' })
  name!: string;

  @Field(text({ max: 60 }), { description: 'Kind of the job.', example: 'text.summarize' })
  kind!: string;

  @Field(micros(), { description: 'Upper limit of its cost, in micros.', example: 120_000 })
  estimatedCostMicros!: number;

  @Field(instant(), { description: 'Since when it waits.' })
  waitingSince!: string;
}

export class PendingApprovals {
  @Field(count(), { description: 'Jobs that wait for approval.', example: 2 })
  count!: number;

  @Field(count(), { description: 'Age of the oldest, seconds; null without any.', example: 340, nullable: true })
  oldestAgeSeconds!: number | null;

  @Field(listOf(nested(WaitingJob), { max: 10 }), { description: 'The 10 that have waited longest.' })
  items!: WaitingJob[];
}

export class JobFigures {
  @Field(count(), { description: 'Jobs that wait for their turn.', example: 3 })
  queued!: number;

  @Field(count(), { description: 'Jobs that run.', example: 1 })
  running!: number;

  @Field(count(), { description: 'Jobs that succeeded in the last 24 hours.', example: 112 })
  succeeded24h!: number;

  @Field(count(), { description: 'Jobs that failed in the last 24 hours.', example: 2 })
  failed24h!: number;

  @Field(count(), { description: 'Jobs that came to their cap in the last 24 hours.', example: 0 })
  overCap24h!: number;

  @Field(count(), {
    description: 'Half of the jobs of the last 24 hours took no longer from start to end, ms; null without any.',
    example: 900,
    nullable: true,
  })
  p50LatencyMs!: number | null;

  @Field(count(), { description: '95 of 100 took no longer, ms; null without any.', example: 4_100, nullable: true })
  p95LatencyMs!: number | null;
}

export class AgentFigures {
  @Field(count(), { description: 'Agents that take jobs.', example: 4 })
  active!: number;

  @Field(count(), { description: 'Agents that are paused.', example: 1 })
  paused!: number;
}

export class SpendFigures {
  @Field(micros(), {
    description: 'Spent today in the tenant’s time zone, micros; null beyond the range of exact numbers.',
    example: 320_000,
    nullable: true,
  })
  todayMicros!: number | null;

  @Field(micros(), {
    description: 'Spent this month, micros; null beyond the range of exact numbers.',
    example: 12_400_000,
    nullable: true,
  })
  monthMicros!: number | null;

  @Field(micros(), {
    description: 'The lowest monthly limit for the whole tenant, of its plan and its budgets; null without any.',
    example: 50_000_000,
    nullable: true,
  })
  budgetMicros!: number | null;

  @Field(micros(), {
    description:
      'Projected cost of the month at the current rate, in micros. The first day counts as a full day. Null if the value exceeds the range of exact numbers.',
    example: 18_100_000,
    nullable: true,
  })
  forecastMonthMicros!: number | null;
}

export class ProviderHealth {
  @Field(text({ max: 100 }), { description: 'Key of the provider.', example: 'local' })
  key!: string;

  @Field(flag(), {
    description: 'Whether its last call in the last hour got an answer; null if there was none.',
    nullable: true,
  })
  reachable!: boolean | null;

  @Field(number({ min: 0, max: 1 }), {
    description:
      'Share of the calls of the last hour that failed or whose outcome is not known, from 0 to 1; null without calls.',
    example: 0.02,
    nullable: true,
  })
  errorRate1h!: number | null;
}

export class AiAlert {
  @Field(oneOf(ALERTS), { description: 'Subject of the alert.', example: 'budget_threshold_reached' })
  code!: (typeof ALERTS)[number];

  @Field(oneOf(['info', 'warning', 'critical']), { description: 'How bad it is.', example: 'warning' })
  severity!: 'info' | 'warning' | 'critical';

  @Field(text({ max: 500 }), {
    description: 'For people.',
    example: 'The monthly tenant budget is past its soft limit.',
  })
  message!: string;
}

export class AiOverview {
  @Field(oneOf(HEALTH), {
    description: '`paused` while the kill switch is on; `degraded` when a provider fails or a budget refuses jobs.',
    example: 'ok',
  })
  health!: (typeof HEALTH)[number];

  @Field(flag(), { description: 'Whether AI work is paused.', example: false })
  killSwitch!: boolean;

  @Field(nested(PendingApprovals), { description: 'Work that waits for people.' })
  pendingApprovals!: PendingApprovals;

  @Field(nested(JobFigures), { description: 'Current activity.' })
  jobs!: JobFigures;

  @Field(nested(AgentFigures), { description: 'Agents.' })
  agents!: AgentFigures;

  @Field(nested(SpendFigures), { description: 'Money, in millionths of the tenant’s currency unit.' })
  spend!: SpendFigures;

  @Field(listOf(nested(ProviderHealth), { max: 200 }), { description: 'The providers that are enabled.' })
  providers!: ProviderHealth[];

  @Field(listOf(nested(AiAlert), { max: 400 }), { description: 'Alerts that need attention.' })
  alerts!: AiAlert[];
}

export const OVERVIEW_EXAMPLE: AiOverview = {
  health: 'ok',
  killSwitch: false,
  pendingApprovals: {
    count: 1,
    oldestAgeSeconds: 340,
    items: [
      {
        jobId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1ba0',
        name: 'Renewal summary',
        kind: 'text.summarize',
        estimatedCostMicros: 120_000,
        waitingSince: '2026-11-21T09:15:02.114Z',
      },
    ],
  },
  jobs: {
    queued: 3,
    running: 1,
    succeeded24h: 112,
    failed24h: 2,
    overCap24h: 0,
    p50LatencyMs: 900,
    p95LatencyMs: 4_100,
  },
  agents: { active: 4, paused: 1 },
  spend: { todayMicros: 320_000, monthMicros: 12_400_000, budgetMicros: 50_000_000, forecastMonthMicros: 18_100_000 },
  providers: [{ key: 'local', reachable: true, errorRate1h: 0 }],
  alerts: [],
};
