import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { cardOf } from '#libs/measures/card.js';
import type { MetricCard } from '#libs/measures/figure.dto.js';
import { Measurements } from '#libs/measures/measurements.js';
import { MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { windowsAt } from '#libs/measures/period.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { MOST_TILES } from './home.dto.js';

/** Metrics that are shown without a target. */
export const USUAL_TILES: readonly string[] = [
  'won_value',
  'pipeline_value',
  'win_rate',
  'receivable',
  'overdue_amount',
  'projects_at_risk',
  'overdue_tasks',
  'headcount',
  'open_jobs',
  'active_applications',
  'failed_deliveries',
  'ai_approvals_pending',
];

/** Key figures on the home page. */
@Injectable()
export class Tiles {
  constructor(
    private readonly catalogue: MetricCatalogue,
    private readonly measurements: Measurements,
    private readonly settings: TenantSettings,
    private readonly clock: Clock,
  ) {}

  /** The metrics with a target first, then the usual ones; only those whose items the caller may read. */
  async read(): Promise<MetricCard[]> {
    const { general, scorecards } = await this.settings.get();
    const now = this.clock.now();
    const windows = windowsAt(now, 'month', 'previous', general);
    const readable = this.catalogue.readable();
    const metrics = [
      ...readable.filter(({ key }) => scorecards.targets[key] !== undefined),
      ...readable.filter(({ key }) => scorecards.targets[key] === undefined && USUAL_TILES.includes(key)),
    ].slice(0, MOST_TILES);
    const measured = await this.measurements.of({
      metrics,
      windows: [windows.current, windows.compared],
      workspaceIds: null,
      now: now.toISOString(),
      today: windows.today,
    });
    const frame = { windows, workspaceIds: null, ...scorecards };
    return metrics.map((metric) => cardOf(metric, measured.get(metric.key)!, frame));
  }
}
