import { Injectable } from '@nestjs/common';
import { percentOf } from '#libs/kernel/fraction.js';
import { percentileOf } from '#libs/request-counts/percentiles.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { reachOf } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { type CardFrame, ratedCard, shownFigure } from '#libs/measures/card.js';
import type { Measurement } from '#libs/measures/measurements.js';
import type { MetricGroup, MetricTerms } from '#libs/measures/metric.js';
import type { Window, Windows } from '#libs/measures/period.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { PostureService } from '#src/areas/assurance/security/posture/posture.service.js';
import type { Scorecard } from './scorecards.dto.js';
import { ServiceFiguresRepository } from './service-figures.repository.js';

/** A figure that counts no list. */
interface ServiceMetric extends MetricTerms {
  permission: Permission;
  /** The page that tells more. */
  drillDown: (window: Window) => string;
}

const report = ({ starts, ends }: Window) =>
  `/api/admin/compliance/sla-report?${new URLSearchParams({ from: starts, to: ends, service: 'api' }).toString()}`;

const AVAILABILITY: ServiceMetric = {
  key: 'availability',
  group: 'platform',
  name: 'Availability of the API',
  formula: 'Good ÷ valid requests in the period, as in service levels; requests during maintenance count here.',
  unit: 'percent',
  direction: 'higher',
  usualTarget: 99.9,
  permission: 'usage:read',
  drillDown: report,
};
const LATENCY: ServiceMetric = {
  key: 'api_p95',
  group: 'platform',
  name: 'Latency of the API',
  formula: 'The time within which 95 percent of the good requests in the period were answered.',
  unit: 'milliseconds',
  direction: 'lower',
  usualTarget: 500,
  permission: 'usage:read',
  drillDown: report,
};
const POSTURE: ServiceMetric = {
  key: 'posture_score',
  group: 'security',
  name: 'Posture score',
  formula: 'Score of the last run of the security checks, from 0 to 100.',
  unit: 'percent',
  direction: 'higher',
  usualTarget: 90,
  permission: 'security:read',
  drillDown: () => '/api/admin/security/posture',
};
const REVIEWS: ServiceMetric = {
  key: 'review_completion',
  group: 'security',
  name: 'Completion of access reviews',
  formula: 'Decided items ÷ items of the access reviews that are due in the period.',
  unit: 'percent',
  direction: 'higher',
  usualTarget: 100,
  permission: 'access-reviews:read',
  drillDown: () => '/api/admin/compliance/access-reviews',
};
const ALL = [AVAILABILITY, LATENCY, POSTURE, REVIEWS];

/** Keys of these figures, for the targets in the settings. */
export const SERVICE_METRIC_KEYS: readonly string[] = ALL.map(({ key }) => key);

type Frame = CardFrame & { windows: Windows };

/** Cards of the platform and its governance, whose figures count no list and belong to no workspace. */
@Injectable()
export class ServiceCards {
  constructor(
    private readonly repository: ServiceFiguresRepository,
    private readonly posture: PostureService,
    private readonly accounts: RequestAccounts,
  ) {}

  /** The cards that the caller may read. @param group null for all groups */
  async read(group: MetricGroup | null, frame: Frame): Promise<Scorecard[]> {
    const wanted = ALL.filter((each) => group === null || each.group === group).filter(
      ({ permission }) => reachOf(permission) === 'tenant',
    );
    if (wanted.length === 0) return [];
    const { current, compared, series } = frame.windows;
    const windows = [current, compared, ...series.slice(0, -1)];
    const measured = await this.measure(wanted, windows);
    return wanted.map((metric) => cardOf(metric, measured.get(metric.key)!, frame));
  }

  private async measure(wanted: readonly ServiceMetric[], windows: readonly Window[]) {
    const found = new Map<string, Measurement[]>();
    if (wanted.some(({ group }) => group === AVAILABILITY.group)) {
      await this.accounts.flushTenant(currentTenant().id).catch(() => undefined);
      const requests = await this.repository.requests(windows);
      found.set(
        AVAILABILITY.key,
        requests.map(({ good, bad }) => share(good, good + bad)),
      );
      found.set(
        LATENCY.key,
        requests.map(({ good, latency }) => measurement(good, percentileOf(latency.map(Number), 95))),
      );
    }
    if (wanted.includes(POSTURE)) {
      const run = await this.posture.lastRun();
      found.set(POSTURE.key, [measurement(Object.keys(run?.results ?? {}).length, run?.score ?? null)]);
    }
    if (wanted.includes(REVIEWS)) {
      const reviews = await this.repository.reviews(windows);
      found.set(
        REVIEWS.key,
        reviews.map(({ items, decided }) => share(decided, items)),
      );
    }
    return found;
  }
}

/** `measured` has one measurement for a figure of the current state. */
function cardOf(metric: ServiceMetric, measured: readonly Measurement[], frame: Frame): Scorecard {
  const { current, series } = frame.windows;
  const [now, , ...earlier] = measured;
  const isCurrent = metric === POSTURE;
  return {
    ...ratedCard(metric, measured, frame, metric.drillDown(current)),
    series: isCurrent
      ? []
      : series.map(({ first: from, last: to }, i) => {
          return { from, to, value: shownFigure(metric, earlier[i] ?? now, frame) };
        }),
  };
}

/** Rounded down, as in the reports of service levels. */
function share(part: number, whole: number): Measurement {
  return measurement(whole, percentOf(part, whole));
}

function measurement(sample: number, value: number | null): Measurement {
  return { sample, value, amounts: [] };
}
