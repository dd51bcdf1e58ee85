import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** Sums over the attempts at one endpoint. */
export interface StatsSum {
  delivered: number;
  failed: number;
  /** A histogram of `DURATION_BOUNDS`; empty without attempts. */
  durations: number[];
}

const SUM = `
  with minutes as (
    select delivered, failed, durations from data.webhook_stats
    where tenant_id = $1 and endpoint_id = $2 and minute >= $3)
  select coalesce(sum(delivered), 0)::float8 as delivered, coalesce(sum(failed), 0)::float8 as failed,
    coalesce((
      select json_agg(count order by bucket) from (
        select bucket, sum(each)::float8 as count
        from minutes, unnest(durations) with ordinality as counts (each, bucket) group by bucket) buckets),
      '[]') as durations
  from minutes`;

@Injectable()
export class EndpointStatsRepository {
  constructor(private readonly database: Database) {}

  /** Sums over the attempts since a minute. */
  async sum(endpointId: string, since: string): Promise<StatsSum> {
    const [row] = await this.database.read<StatsSum>(statement(SUM, [currentTenant().id, endpointId, since]));
    return row!;
  }
}
