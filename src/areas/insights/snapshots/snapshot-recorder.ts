import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { rounded } from '#libs/kernel/fraction.js';
import { addDays, civilDateAt } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Measurements } from '#libs/measures/measurements.js';
import { type CataloguedMetric, MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { windowOf } from '#libs/measures/period.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant, stamp } from '#libs/tenancy/scope.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import type { Anomaly } from '../anomalies/anomaly.dto.js';
import { AnomalyEvents } from '../anomalies/anomaly-events.js';
import { TEST_DAYS, testOf } from '../statistics/anomaly.js';
import { seriesOf } from './recorded-series.js';
import { KEPT_DAYS, type Snapshot, storedFigure } from './snapshot.js';
import { SnapshotsRepository } from './snapshots.repository.js';

/**
 * Records all metrics of a tenant once a day, after the day has ended in the time zone of the tenant. If that is not
 * done by the end of the next day, the day stays unrecorded: metrics of the current state cannot be measured later.
 */
@Injectable()
export class SnapshotRecorder {
  constructor(
    private readonly snapshots: SnapshotsRepository,
    private readonly events: AnomalyEvents,
    private readonly catalogue: MetricCatalogue,
    private readonly measurements: Measurements,
    private readonly settings: TenantSettings,
    private readonly tenants: TenantReader,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Records yesterday unless that is done. Safe to run in several workers at once. */
  async record(): Promise<void> {
    const { general, scorecards } = await this.settings.get();
    const today = civilDateAt(this.clock.nowMs(), general.timezone);
    const date = addDays(today, -1);
    if (await this.snapshots.has(date)) return;
    const { createdAt, closedAt } = await this.tenants.current();
    if (closedAt !== null || civilDateAt(Date.parse(createdAt), general.timezone) > date) return;
    const snapshot = await this.measure(date, today, general.timezone, scorecards.targets);
    const anomalies = await this.anomaliesOf(snapshot, scorecards.minSample);
    await this.database.transaction(async (transaction) => {
      const added = await transaction.query(this.snapshots.add(snapshot, general.timezone));
      if (added.length > 0) for (const each of anomalies) this.events.record(transaction, each);
    });
    await this.snapshots.forget(addDays(date, -KEPT_DAYS));
  }

  private async measure(
    date: string,
    today: string,
    timezone: string,
    targets: Readonly<Record<string, number>>,
  ): Promise<Snapshot> {
    const metrics = this.catalogue.all();
    const windows = [windowOf(date, date, timezone)];
    const now = this.clock.now().toISOString();
    const measured = await this.measurements.of({ metrics, windows, workspaceIds: null, now, today });
    const terms = { targets, currency: currentTenant().currency };
    const figures = metrics.map((each) => [each.key, storedFigure(each, measured.get(each.key)![0]!, terms)] as const);
    return { date, recordedAt: stamp(this.clock), figures: Object.fromEntries(figures) };
  }

  private async anomaliesOf(snapshot: Snapshot, minSample: number): Promise<Anomaly[]> {
    const span = { from: addDays(snapshot.date, 1 - TEST_DAYS), to: snapshot.date };
    const snapshots = [...(await this.snapshots.read(span)), snapshot];
    return this.catalogue.all().flatMap((metric) =>
      seriesOf(metric, span, snapshots, minSample).flatMap(({ currency, points }) => {
        const test = testOf(points, minSample);
        if (typeof test === 'string' || !test.isAnomaly) return [];
        const { isAnomaly: _, ...found } = test;
        const { date, value, sampleSize } = points.at(-1)!;
        return [anomalyOf(metric, { date, currency, value: value!, sampleSize, ...found }, snapshot.recordedAt)];
      }),
    );
  }
}

type Found = Pick<Anomaly, 'date' | 'currency' | 'value' | 'sampleSize' | 'median' | 'deviation' | 'score' | 'inputs'>;

function anomalyOf(metric: CataloguedMetric, found: Found, detectedAt: string): Anomaly {
  const { key, name, unit, direction } = metric;
  const { date, currency, value, sampleSize, inputs } = found;
  const [median, deviation, score] = [rounded(found.median), rounded(found.deviation), rounded(found.score)];
  const effect = score > 0 === (direction === 'higher') ? 'better' : 'worse';
  const figures = { value: rounded(value), sampleSize, median, deviation, score, inputs };
  return { id: uuidv7(), date, metric: key, metricName: name, unit, currency, ...figures, effect, detectedAt };
}
