import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Resource } from '#libs/resource/resource-registry.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { StateTime } from './time-in-state.dto.js';

const measuring = (condition: string) => `
  select object, from_state as state, from_stage as stage, count(*) as visits,
    percentile_disc(0.5) within group (order by seconds_in_from_state) as "p50Seconds",
    percentile_disc(0.9) within group (order by seconds_in_from_state) as "p90Seconds",
    round(avg(seconds_in_from_state))::bigint as "meanSeconds"
  from data.record_transitions
  where tenant_id = $1 and occurred_at >= $2::date and occurred_at < $3::date + 1 and (${condition})
  group by object, from_state, from_stage order by object, from_state, from_stage`;

@Injectable()
export class TimeInStateRepository {
  constructor(private readonly database: Database) {}

  /** Stays in each state of the records visible to the caller that ended between two days, inclusive. */
  measure(resources: Resource[], from: string, to: string): Promise<StateTime[]> {
    const values: unknown[] = [currentTenant().id, from, to];
    const add = (value: unknown) => `$${values.push(value)}`;
    const conditions: string[] = [];
    const whole: string[] = [];
    for (const { definition, service } of resources) {
      const { type } = definition;
      const disclosed = service.disclosed();
      if (!disclosed) whole.push(type);
      else
        conditions.push(
          `object = '${type}' and record_id in (select t.id from ${service.table} t where t.tenant_id = $1 and ${disclosed(add)})`,
        );
    }
    const any = [`object = any(${add(whole)})`, ...conditions].join(' or ');
    return this.database.read<StateTime>(statement(measuring(any), values));
  }
}
