import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { addDays, civilDateAt } from '#libs/kernel/civil-time.js';
import { daysOf } from '#libs/kernel/day-span.js';
import { Measurements } from '#libs/measures/measurements.js';
import { hasHistory } from '#libs/measures/metric.js';
import { MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { windowOf } from '#libs/measures/period.js';
import { SampleData } from '#libs/resource/sample/sample-data.js';
import type { SampleStory } from '#libs/resource/sample/sample-story.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { storedFigure } from './snapshots/snapshot.js';
import { SnapshotsRepository } from './snapshots/snapshots.repository.js';

const DAYS = 90;

/**
 * Metrics of the days before the tenant existed, measured from the sample data. Metrics of the current state are left
 * out, because nobody knows their values of the past. The removal deletes the days with all others that were recorded
 * since the loading.
 */
@Injectable()
export class InsightsSample {
  constructor(
    samples: SampleData,
    private readonly snapshots: SnapshotsRepository,
    private readonly catalogue: MetricCatalogue,
    private readonly measurements: Measurements,
    private readonly tenants: TenantReader,
  ) {
    samples.addLast((story, transaction) => this.record(story, transaction));
  }

  private async record(story: SampleStory, transaction: Transaction): Promise<void> {
    const { general, scorecards } = story.settings;
    const { createdAt } = await this.tenants.current();
    const span = { from: story.day(DAYS), to: addDays(civilDateAt(Date.parse(createdAt), general.timezone), -1) };
    if (span.from > span.to) return;
    const days = daysOf(span);
    const metrics = this.catalogue.all().filter((each) => hasHistory(each));
    const windows = days.map((day) => windowOf(day, day, general.timezone));
    const order = { metrics, windows, workspaceIds: null, now: story.now, today: story.day(0) };
    const measured = await this.measurements.of(order);
    const terms = { targets: scorecards.targets, currency: currentTenant().currency };
    days.forEach((date, i) => {
      const figures = metrics.map(
        (each) => [each.key, storedFigure(each, measured.get(each.key)![i]!, terms)] as const,
      );
      const snapshot = { date, recordedAt: story.now, figures: Object.fromEntries(figures) };
      transaction.write(this.snapshots.add(snapshot, general.timezone));
    });
  }
}
