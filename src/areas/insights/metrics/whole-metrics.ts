import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { type CataloguedMetric, MetricCatalogue } from '#libs/measures/metric-catalogue.js';

/**
 * Metrics whose records the caller may see without exception. Recorded figures count all records of the tenant, so
 * nobody else may see them.
 */
@Injectable()
export class WholeMetrics {
  constructor(private readonly catalogue: MetricCatalogue) {}

  all(): CataloguedMetric[] {
    return this.catalogue.readable().filter(({ source }) => source.visible() === null);
  }

  /** @throws Problem 404 for an unknown metric, and one that the caller may not see. */
  get(key: string): CataloguedMetric {
    const metric = this.all().find((each) => each.key === key);
    if (!metric) throw Problem.notFound();
    return metric;
  }
}
