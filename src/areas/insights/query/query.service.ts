import { Injectable } from '@nestjs/common';
import { rounded } from '#libs/kernel/fraction.js';
import { Clock } from '#libs/kernel/clock.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Problem } from '#libs/kernel/problem.js';
import { Measurements } from '#libs/measures/measurements.js';
import { hasHistory } from '#libs/measures/metric.js';
import { type CataloguedMetric, drillDownOf, MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { beginOf, periodsBetween, type Window } from '#libs/measures/period.js';
import { type EffectiveSettings, TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { WholeMetrics } from '../metrics/whole-metrics.js';
import { type Figures, valuesOf } from '../snapshots/recorded-series.js';
import { storedFigure } from '../snapshots/snapshot.js';
import { SnapshotsRepository } from '../snapshots/snapshots.repository.js';
import {
  type MetricResult,
  type MetricsAnswer,
  type MetricsQuestion,
  type MetricValue,
  MOST_PERIODS,
} from './query.dto.js';

/** The periods of a question, after those to compare with. */
interface Frame {
  windows: readonly Window[];
  /** How many of them are only compared with: as many as the others, or none. */
  earlier: number;
  settings: EffectiveSettings;
}

/** Figures of a metric in each window, and the day that each is from. */
interface Found {
  figures: Figures;
  recordedDays: readonly (string | null)[];
}

/** Metrics over time: from the records where they tell, otherwise as they were recorded. */
@Injectable()
export class QueryService {
  constructor(
    private readonly catalogue: MetricCatalogue,
    private readonly whole: WholeMetrics,
    private readonly measurements: Measurements,
    private readonly snapshots: SnapshotsRepository,
    private readonly settings: TenantSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Omits metrics that the caller may not read. Those without a history for the caller have no values. @throws Problem 400 for an unknown metric, and for an invalid span. */
  async ask(question: MetricsQuestion): Promise<MetricsAnswer> {
    const { metrics: keys, grain = 'month' } = question;
    const metrics = this.admitted(keys);
    const whole = this.whole.all();
    const told = (each: CataloguedMetric) => hasHistory(each) || whole.includes(each);
    const settings = await this.settings.get();
    const frame = frameOf(question, settings, civilDateAt(this.clock.nowMs(), settings.general.timezone));
    const [measured, recorded] = await Promise.all([
      this.measure(metrics.filter(hasHistory), frame),
      this.recall(
        metrics.filter((each) => !hasHistory(each) && told(each)),
        frame,
      ),
    ]);
    const results = metrics.map((metric) =>
      told(metric)
        ? resultOf(metric, (measured.get(metric.key) ?? recorded.get(metric.key))!, frame)
        : untold(resultOf(metric, nothingIn(frame), frame)),
    );
    return { asOf: this.clock.now().toISOString(), grain, results };
  }

  private admitted(keys: readonly string[]): CataloguedMetric[] {
    const readable = new Map(this.catalogue.readable().map((each) => [each.key, each]));
    const known = new Set(this.catalogue.all().map(({ key }) => key));
    const faults = keys.flatMap((key, i) =>
      known.has(key)
        ? []
        : [{ pointer: `/metrics/${i}`, code: 'unknown_metric', detail: `There is no metric ${key}.` }],
    );
    if (faults.length > 0) throw Problem.validation(faults);
    return keys.flatMap((key) => readable.get(key) ?? []);
  }

  private async measure(metrics: CataloguedMetric[], { windows, settings }: Frame): Promise<Map<string, Found>> {
    const now = this.clock.now();
    const today = civilDateAt(now.getTime(), settings.general.timezone);
    const order = { metrics, windows, workspaceIds: null, now: now.toISOString(), today };
    const measured = await this.measurements.of(order);
    const terms = { targets: settings.scorecards.targets, currency: currentTenant().currency };
    const recordedDays = windows.map(() => null);
    return new Map(
      metrics.map((metric) => {
        const figures = measured.get(metric.key)!.map((each) => storedFigure(metric, each, terms));
        return [metric.key, { figures, recordedDays }];
      }),
    );
  }

  private async recall(metrics: CataloguedMetric[], { windows }: Frame): Promise<Map<string, Found>> {
    if (metrics.length === 0) return new Map();
    const days = windows.flatMap(({ first, last }) => [first, last]).sort();
    const span = { from: days[0]!, to: days.at(-1)! };
    const snapshots = await this.snapshots.readSome(
      span,
      metrics.map(({ key }) => key),
    );
    return new Map(
      metrics.map(({ key }) => {
        const found = windows.map(({ first, last }) =>
          snapshots.findLast(({ date, figures }) => date >= first && date <= last && key in figures),
        );
        const figures = found.map((each) => each?.figures[key] ?? null);
        return [key, { figures, recordedDays: found.map((each) => each?.date ?? null) }];
      }),
    );
  }
}

/** What is known of a metric whose history the caller does not see. */
function nothingIn({ windows }: Frame): Found {
  return { figures: windows.map(() => null), recordedDays: windows.map(() => null) };
}

function untold(result: MetricResult): MetricResult {
  const blank = (point: MetricValue): MetricValue => ({ ...point, unknownBecause: 'no_data' });
  return { ...result, series: result.series.map((each) => ({ ...each, points: each.points.map(blank) })) };
}

function frameOf(
  { from, to, grain = 'month', compareTo }: MetricsQuestion,
  settings: EffectiveSettings,
  today: string,
): Frame {
  if (beginOf(to, grain, settings.general.weekStart) > today) {
    const future = { pointer: '/to', code: 'out_of_range', detail: 'The range cannot end in the future.' };
    throw Problem.validation([future]);
  }
  const periods = from <= to ? periodsBetween(from, to, grain, settings.general, MOST_PERIODS + 1) : [];
  const detail =
    periods.length === 0
      ? 'The first day must not be after the last.'
      : `There may be at most ${MOST_PERIODS} periods.`;
  if (periods.length === 0 || periods.length > MOST_PERIODS)
    throw Problem.validation([{ pointer: '/from', code: 'out_of_range', detail }]);
  const compared = compareTo === undefined ? [] : periods.map((each) => each[compareTo]);
  return { windows: [...compared, ...periods.map(({ window }) => window)], earlier: compared.length, settings };
}

function resultOf(metric: CataloguedMetric, { figures, recordedDays }: Found, frame: Frame): MetricResult {
  const { windows, earlier, settings } = frame;
  const source = hasHistory(metric) ? 'records' : 'recorded';
  const series = valuesOf(metric, figures, settings.scorecards.minSample).map(({ currency, values }) => ({
    currency,
    points: windows.slice(earlier).map((window, i): MetricValue => {
      const { value, sampleSize, unknownBecause } = values[earlier + i]!;
      const compared = earlier > 0 ? values[i]!.value : null;
      return {
        from: window.first,
        to: window.last,
        value: value === null ? null : rounded(value),
        sampleSize,
        unknownBecause,
        recordedDay: recordedDays[earlier + i]!,
        drillDown: source === 'records' ? drillDownOf(metric, window, null) : null,
        compared: compared === null ? null : rounded(compared),
        changePercent: value === null || !compared ? null : rounded((100 * (value - compared)) / Math.abs(compared)),
      };
    }),
  }));
  return { metric: metric.key, unit: metric.unit, source, series };
}
