import { Injectable } from '@nestjs/common';
import { percentOf, rounded } from '#libs/kernel/fraction.js';
import { DAY_MS, HOUR_MS } from '#libs/kernel/durations.js';
import { Clock } from '#libs/kernel/clock.js';
import type { Bucket, Evaluation } from './slo-engine.js';
import { evaluate, windowStart } from './slo-engine.js';
import type { SloFacts, SloPoint, SloView } from './slo.dto.js';
import { isCounted, type Slo, SLO_TYPE, windowMs } from './slo.js';
import { SloCounters } from './slo-counters.js';

/** An objective and its current figures. */
export interface Measured {
  slo: Slo;
  figures: Evaluation;
  buckets: Bucket[];
  alertingSince: string | null;
}

/** Evaluates objectives of the current tenant on their running counters. */
@Injectable()
export class SloFigures {
  constructor(
    private readonly counters: SloCounters,
    private readonly clock: Clock,
  ) {}

  /** The figures of objectives; those that are disabled have none. */
  async measure(slos: readonly Slo[]): Promise<Measured[]> {
    if (slos.length === 0) return [];
    const progress = await this.counters.catchUp(slos);
    const buckets = await this.counters.buckets(slos);
    const nowMs = this.clock.nowMs();
    return slos.map((slo) => {
      const own = isCounted(slo) ? buckets.get(slo.id)! : [];
      const alertingSince = progress.get(slo.id)?.alertingSince ?? null;
      return { slo, figures: evaluate(slo, own, nowMs), buckets: own, alertingSince };
    });
  }

  /** An objective with its figures as the API shows it. */
  view({ slo, figures, alertingSince }: Measured): SloView {
    const { burnsFast: _, bad: _bad, projectedExhaustionMs: exhaustionMs, ...shown } = figures;
    return {
      ...factsOf(slo),
      ...shown,
      sliPercent: percentOf(shown.good, shown.total),
      budgetTotal: rounded(shown.budgetTotal),
      budgetUsedPercent: roundedOrNull(shown.budgetUsedPercent),
      budgetRemainingPercent: roundedOrNull(shown.budgetRemainingPercent),
      burnRates: roundedRates(figures),
      projectedExhaustionAt: exhaustionMs === null ? null : new Date(exhaustionMs).toISOString(),
      alertingSince,
      asOf: this.clock.now().toISOString(),
    };
  }

  /** Counts over the window, by hour or day; steps without events are omitted. */
  series({ slo, buckets }: Measured, granularity: 'hour' | 'day'): SloPoint[] {
    const stepMs = granularity === 'hour' ? HOUR_MS : DAY_MS;
    const startMs = windowStart(windowMs(slo) / 60_000, this.clock.nowMs());
    const points = new Map<number, SloPoint>();
    for (const { atMs, good, bad } of buckets) {
      if (atMs < startMs) continue;
      const step = Math.floor(atMs / stepMs) * stepMs;
      const point = points.get(step) ?? { at: new Date(step).toISOString(), good: 0, total: 0 };
      points.set(step, { ...point, good: point.good + good, total: point.total + good + bad });
    }
    return [...points.values()];
  }
}

/** An objective as events and audit entries show it. */
export function factsOf(slo: Slo): SloFacts {
  const { id, version, key, name, indicator, objectivePercent, windowDays, enabled, ownerId, alerting } = slo;
  const { archivedAt, createdAt, updatedAt } = slo;
  const terms = { key, name, indicator, objectivePercent, windowDays, enabled, ownerId, alerting };
  return { id, object: SLO_TYPE, version, ...terms, archivedAt, createdAt, updatedAt };
}

/** As {@link rounded}, for a figure that may be unknown. */
export function roundedOrNull(value: number | null): number | null {
  return value === null ? null : rounded(value);
}

export function roundedRates({ burnRates }: Evaluation): Evaluation['burnRates'] {
  return Object.fromEntries(
    Object.entries(burnRates).map(([window, rate]) => [window, roundedOrNull(rate)]),
  ) as Evaluation['burnRates'];
}
