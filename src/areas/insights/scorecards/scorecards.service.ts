import { Injectable } from '@nestjs/common';
import { currentPrincipal, reachOf } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { type CardFrame, cardOf, shownFigure } from '#libs/measures/card.js';
import { scoreOf } from '#libs/measures/figures.js';
import { type Measurement, Measurements } from '#libs/measures/measurements.js';
import { hasHistory, METRIC_GROUPS } from '#libs/measures/metric.js';
import { type CataloguedMetric, MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { type Windows, windowsAt } from '#libs/measures/period.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { ServiceCards } from './service-cards.js';
import type { Scorecard, ScorecardQuery, Scorecards } from './scorecards.dto.js';

const PERMISSION = 'scorecards:read';
/** Maximum number of values of a list's filter. */
const MOST_WORKSPACES = 100;

/** How the figures of a scorecard are shown. */
interface Frame extends CardFrame {
  windows: Windows;
}

/** The metrics of the catalogue, and figures of the platform, against the tenant's targets. */
@Injectable()
export class MetricScorecardsService {
  constructor(
    private readonly catalogue: MetricCatalogue,
    private readonly measurements: Measurements,
    private readonly services: ServiceCards,
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
    const own = frame.workspaceIds === null ? await this.services.read(group ?? null, frame) : [];
    const cards = [...metrics.map((metric) => scorecardOf(metric, measured.get(metric.key)!, frame)), ...own];
    const { first: from, last: to } = windows.current;
    const overall = METRIC_GROUPS.flatMap((each) => {
      const ofGroup = cards.filter((card) => card.group === each);
      return ofGroup.length > 0 ? [{ group: each, score: scoreOf(ofGroup.map(({ rating }) => rating)) }] : [];
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
function scorecardOf(metric: CataloguedMetric, measured: readonly Measurement[], frame: Frame): Scorecard {
  const [current, , ...earlier] = measured;
  return {
    ...cardOf(metric, measured, frame),
    series: hasHistory(metric)
      ? frame.windows.series.map(({ first: from, last: to }, i) => {
          return { from, to, value: shownFigure(metric, earlier[i] ?? current, frame) };
        })
      : [],
  };
}
