import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { WholeMetrics } from '../metrics/whole-metrics.js';
import { RecordedMetrics } from '../snapshots/recorded-metrics.js';
import { type Anomalies, type Anomaly, type AnomalyQuery, MOST_ANOMALIES, MOST_DAYS } from './anomaly.dto.js';

const LIST = `
  select facts from data.metric_anomalies
  where tenant_id = $1 and date between $2 and $3 and metric = any($4::text[])
  order by date desc, id desc limit ${MOST_ANOMALIES + 1}`;
const DEFAULT_DAYS = 30;

/** The values that stood out when their day was recorded. */
@Injectable()
export class AnomaliesService {
  constructor(
    private readonly catalogue: MetricCatalogue,
    private readonly metrics: WholeMetrics,
    private readonly recorded: RecordedMetrics,
    private readonly database: Database,
  ) {}

  /** Newest first; only of metrics that the caller may see. @throws Problem 400 for an unknown metric. */
  async list({ metric, ...asked }: AnomalyQuery): Promise<Anomalies> {
    if (metric !== undefined && this.catalogue.all().every(({ key }) => key !== metric)) {
      const detail = 'There is no such metric.';
      throw Problem.validation([{ parameter: 'metric', code: 'unknown_metric', detail }]);
    }
    const { from, to } = await this.recorded.spanOf(asked, DEFAULT_DAYS, MOST_DAYS);
    const visible = this.metrics.all().map(({ key }) => key);
    const keys = metric === undefined ? visible : visible.filter((key) => key === metric);
    const query = statement(LIST, [currentTenant().id, from, to, keys]);
    const found = (await this.database.read<{ facts: Anomaly }>(query)).map(({ facts }) => facts);
    return { from, to, anomalies: found.slice(0, MOST_ANOMALIES), hasMore: found.length > MOST_ANOMALIES };
  }
}
