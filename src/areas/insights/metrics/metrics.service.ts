import { Injectable } from '@nestjs/common';
import { Cursors } from '#libs/kernel/cursor.js';
import { MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import { byName } from '#libs/resource/lists/named-list.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { WholeMetrics } from './whole-metrics.js';
import type { MetricQuery, MetricView } from './metrics.dto.js';

/** Larger than the catalogue. */

/** The catalogue of metrics for readers. */
@Injectable()
export class MetricsService {
  constructor(
    private readonly catalogue: MetricCatalogue,
    private readonly whole: WholeMetrics,
    private readonly cursors: Cursors,
  ) {}

  /** The metrics whose items the caller may read, by group. */
  async list(query: MetricQuery): Promise<Page<MetricView>> {
    const whole = new Set(this.whole.all().map(({ key }) => key));
    const metrics = this.catalogue.readable().map(({ key, group, name, formula, unit, direction, of: counts }) => {
      return { id: key, key, group, name, formula, unit, direction, hasHistory: whole.has(key), counts };
    });
    return pageOfAll(byName(metrics, query), query, this.cursors, ['insights.metrics']);
  }
}
