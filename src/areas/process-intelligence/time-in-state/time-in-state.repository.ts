import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { StateTime } from './time-in-state.dto.js';

const MEASURE = `
  select object, from_state as state, from_stage as stage, count(*) as visits,
    percentile_disc(0.5) within group (order by seconds_in_from_state) as "p50Seconds",
    percentile_disc(0.9) within group (order by seconds_in_from_state) as "p90Seconds",
    round(avg(seconds_in_from_state))::bigint as "meanSeconds"
  from data.record_transitions
  where tenant_id = $1 and object = any($2) and occurred_at >= $3::date and occurred_at < $4::date + 1
  group by object, from_state, from_stage order by object, from_state, from_stage`;

@Injectable()
export class TimeInStateRepository {
  constructor(private readonly database: Database) {}

  /** Stays in each state that ended from the beginning of one day to the end of another. */
  measure(objects: string[], from: string, to: string): Promise<StateTime[]> {
    return this.database.read<StateTime>(statement(MEASURE, [currentTenant().id, objects, from, to]));
  }
}
