import { Injectable } from '@nestjs/common';
import { currentPrincipal, reachOf } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Measurement, Measurements } from '#libs/kpi/measurements.js';
import { hasHistory, METRIC_GROUPS } from '#libs/kpi/metric.js';
import { type CataloguedMetric, drillDownOf, MetricCatalogue } from '#libs/kpi/metric-catalogue.js';
import { type Windows, windowsAt } from '#libs/kpi/period.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { changeOf, figureOf, mainOf, ratingOf, scoreOf } from './figures.js';
import type { Scorecard, ScorecardQuery, Scorecards } from './scorecards.dto.js';

const PERMISSION = 'scorecards:read';
/** Maximum number of values of a list's filter. */
const MOST_WORKSPACES = 100;

/** How the figures of a scorecard are shown. */
interface Frame {
  windows: Windows;
  workspaceIds: readonly string[] | null;
  minSample: number;
  targets: Readonly<Record<string, number>>;
}

/** The metrics of the catalogue against the tenant's targets. */
@Injectable()
export class ScorecardsService {
  constructor(
    private readonly catalogue: MetricCatalogue,
    private readonly measurements: Measurements,
    private readonly settings: TenantSettings,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 400 if the caller has too many workspaces for one scorecard. */
  async read({ group, period = 'month', workspaceId, compare = 'previous' }: ScorecardQuery): Promise<Scorecards> {
    const { general, scorecards } = await this.settings.get();
    const now = this.clock.now();
    const windows = windowsAt(now, period, compare, general);
    const frame = { windows, workspaceIds: workspacesOf(workspaceId), ...scorecards };
    const metrics = this.catalogue
      .readable()
      .filter((metric) => group === undefined || metric.group === group)
      .filter(({ source }) => frame.workspaceIds === null || isWithin(source.workspaceFilter, frame.workspaceIds));
    const measured = await this.measurements.of({
      metrics,
      windows: [windows.current, windows.compared, ...windows.series.slice(0, -1)],
      workspaceIds: frame.workspaceIds,
      now: now.toISOString(),
      today: windows.today,
    });
    const cards = metrics.map((metric) => cardOf(metric, measured.get(metric.key)!, frame));
    const { first: from, last: to } = windows.current;
    const overall = METRIC_GROUPS.flatMap((each) => {
      const own = cards.filter((card) => card.group === each);
      return own.length > 0 ? [{ group: each, score: scoreOf(own.map(({ rating }) => rating)) }] : [];
    });
    return { asOf: now.toISOString(), period: { kind: period, from, to }, cards, overall };
  }
}

function isWithin(workspaceFilter: string | null, workspaceIds: readonly string[]): boolean {
  return workspaceFilter !== null && workspaceIds.length > 0;
}

/** The workspaces that the cards are limited to; null for no limit. */
function workspacesOf(workspaceId: string | undefined): readonly string[] | null {
  const wanted = workspaceId === undefined ? null : [workspaceId];
  const reach = reachOf(PERMISSION);
  if (reach === 'tenant') return wanted;
  const own = reach === 'workspace' ? currentPrincipal().authority.workspaceIds : [];
  const limited = wanted ? own.filter((each) => wanted.includes(each)) : own;
  if (limited.length <= MOST_WORKSPACES) return limited;
  const detail = `You belong to more than ${MOST_WORKSPACES} workspaces; name one.`;
  throw Problem.validation([{ parameter: 'workspaceId', code: 'required', detail }]);
}

/** `measured` has the current window first, then the compared one and those of the series, oldest first. */
function cardOf(metric: CataloguedMetric, measured: readonly Measurement[], frame: Frame): Scorecard {
  const { group, key, name, unit, direction, formula, dividedByTargetOf } = metric;
  const { windows, workspaceIds, minSample, targets } = frame;
  const { currency } = currentTenant();
  const divisor = dividedByTargetOf === undefined ? undefined : (targets[dividedByTargetOf] ?? null);
  const show = (each: Measurement | undefined) => figureOf(metric, each, { minSample, currency, divisor });
  const [current, compared, ...earlier] = measured;
  const [value, previous] = [show(current), show(compared)];
  const target = targets[key] ?? null;
  const main = mainOf(value, currency);
  return {
    group,
    key,
    name,
    value,
    unit,
    target,
    previous,
    changePercent: changeOf(main, mainOf(previous, currency)),
    direction,
    rating: ratingOf(main, target, direction),
    sampleSize: current!.sample,
    formula,
    drillDown: drillDownOf(metric, windows.current, workspaceIds),
    series: hasHistory(metric)
      ? windows.series.map(({ first: from, last: to }, i) => ({ from, to, value: show(earlier[i] ?? current) }))
      : [],
  };
}
