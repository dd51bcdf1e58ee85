import type { Plan } from '#libs/auth/plans.js';

export const COMMITTED_METRICS = ['api.availabilityPercent', 'webhooks.deliveredPercent'] as const;
export type CommittedMetric = (typeof COMMITTED_METRICS)[number];

/** A promised value per calendar month. */
export interface Commitment {
  metric: CommittedMetric;
  /** Percent. */
  target: number;
}

/** What each plan promises. The free plan promises nothing. Operators can agree on other targets with a tenant. */
const BY_PLAN: Readonly<Record<Plan, readonly Commitment[]>> = {
  free: [],
  starter: [{ metric: 'api.availabilityPercent', target: 99.5 }],
  business: [
    { metric: 'api.availabilityPercent', target: 99.9 },
    { metric: 'webhooks.deliveredPercent', target: 99 },
  ],
  enterprise: [
    { metric: 'api.availabilityPercent', target: 99.95 },
    { metric: 'webhooks.deliveredPercent', target: 99.5 },
  ],
};

/** Credits by availability of the API below its target, the lowest first. */
const CREDITS = [
  { below: 95, percent: 50 },
  { below: 99, percent: 25 },
  { below: 100, percent: 10 },
] as const;

/** The commitments of a plan, with the targets that were agreed on with the tenant. */
export function commitmentsOf(plan: string, agreed: readonly Commitment[]): Commitment[] {
  const targets = new Map(BY_PLAN[plan as Plan].map(({ metric, target }) => [metric, target])); // the column allows no other value
  for (const { metric, target } of agreed) targets.set(metric, target);
  return COMMITTED_METRICS.filter((metric) => targets.has(metric)).map((metric) => ({
    metric,
    target: targets.get(metric)!,
  }));
}

/** Share of the monthly fee to credit if the availability of the API is below its target. */
export function creditOf(availabilityPercent: number): number {
  return CREDITS.find(({ below }) => availabilityPercent < below)?.percent ?? 0;
}
