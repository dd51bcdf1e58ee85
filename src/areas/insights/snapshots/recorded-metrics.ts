import { Injectable } from '@nestjs/common';
import { addDays, civilDateAt } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { type DaySpan, daySpan } from '#libs/kernel/day-span.js';
import type { CataloguedMetric } from '#libs/measures/metric-catalogue.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { type RecordedSeries, seriesOf } from './recorded-series.js';
import { SnapshotsRepository } from './snapshots.repository.js';

/** The recorded values of metrics by day. */
@Injectable()
export class RecordedMetrics {
  constructor(
    private readonly snapshots: SnapshotsRepository,
    private readonly settings: TenantSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * The requested days in the time zone of the tenant; by default those that end with yesterday.
   * @throws Problem 400 if the span is in the wrong order or too long.
   */
  async spanOf(asked: Partial<DaySpan>, days: number, most: number): Promise<DaySpan> {
    const { general } = await this.settings.get();
    const to = asked.to ?? addDays(civilDateAt(this.clock.nowMs(), general.timezone), -1);
    return daySpan({ from: asked.from ?? addDays(to, 1 - days), to }, this.clock.now(), most);
  }

  async series(metric: CataloguedMetric, span: DaySpan): Promise<RecordedSeries[]> {
    const { scorecards } = await this.settings.get();
    const snapshots = await this.snapshots.readSome(span, [metric.key]);
    return seriesOf(metric, span, snapshots, scorecards.minSample);
  }

  /** Fewest items for a mean, a share or a test. */
  async minSample(): Promise<number> {
    return (await this.settings.get()).scorecards.minSample;
  }
}
