import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { WholeMetrics } from '../metrics/whole-metrics.js';
import { RecordedMetrics } from '../snapshots/recorded-metrics.js';
import { type Anomaly, type AnomalyQuery, MOST_DAYS } from './anomaly.dto.js';

const LIST = `
  select facts from data.metric_anomalies
  where tenant_id = $1 and date between $2 and $3 and metric = any($4::text[])
    and ($5::date is null or (date, id) < ($5::date, $6::uuid))
  order by date desc, id desc limit $7`;
const DEFAULT_DAYS = 30;

/** The values that stood out when their day was recorded. */
@Injectable()
export class AnomaliesService {
  constructor(
    private readonly metrics: WholeMetrics,
    private readonly recorded: RecordedMetrics,
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /** Newest first; only of metrics that the caller may see. */
  async list({ limit = 50, cursor, metric, ...asked }: AnomalyQuery): Promise<Page<Anomaly>> {
    const { from, to } = await this.recorded.spanOf(asked, DEFAULT_DAYS, MOST_DAYS);
    const { id: tenant } = currentTenant();
    const visible = this.metrics.all().map(({ key }) => key);
    const keys = metric === undefined ? visible : visible.filter((key) => key === metric);
    const purpose = JSON.stringify([tenant, 'insights.anomalies', from, to, metric ?? null]);
    const [date, id] = cursor === undefined ? [null, null] : this.cursors.read(cursor, purpose);
    const query = statement(LIST, [tenant, from, to, keys, date, id, limit + 1]);
    const found = (await this.database.read<{ facts: Anomaly }>(query)).map(({ facts }) => facts);
    const data = found.slice(0, limit);
    const hasMore = found.length > limit;
    const last = data.at(-1);
    const nextCursor = hasMore && last ? this.cursors.write([last.date, last.id], purpose) : null;
    return { data, page: { limit, hasMore, nextCursor } };
  }
}
