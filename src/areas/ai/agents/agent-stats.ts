import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { AgentStats } from './agent.parts.js';

const DAYS_MS = 30 * 86_400_000;

// Actions that a person has decided on, or that were applied without review. Open actions are not counted yet.
const STATS = `
  with jobs as (
    select j.status, j.actual_cost_micros, j.started_at, j.finished_at, j.proposed_actions from data.ai_jobs j
    where j.tenant_id = $1 and j.agent_id = $2 and j.created_at >= $3),
  actions as (
    select count(*) filter (where a ->> 'status' in ('applied', 'parked', 'failed')) as accepted,
      count(*) filter (where a ->> 'status' = 'rejected') as rejected
    from jobs, jsonb_array_elements(jobs.proposed_actions) a)
  select count(*)::integer as "jobs30d",
    round(count(*) filter (where status = 'succeeded')::numeric
      / nullif(count(*) filter (where status in ('succeeded', 'failed', 'over_cost_cap')), 0), 5)::float8
      as "successRate",
    round(avg(actual_cost_micros) filter (where started_at is not null and finished_at is not null))::bigint
      as "avgCostMicros",
    percentile_disc(0.95) within group (order by (extract(epoch from finished_at - started_at) * 1000)::integer)
      as "p95LatencyMs",
    (select round(accepted::numeric / nullif(accepted + rejected, 0), 5)::float8 from actions)
      as "acceptedSuggestionRate"
  from jobs`;

/** Statistics of an agent's jobs in the last 30 days. */
@Injectable()
export class AgentStatsReader {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async of(agentId: string): Promise<AgentStats> {
    const since = new Date(this.clock.nowMs() - DAYS_MS).toISOString();
    const [row] = await this.database.read<AgentStats>(statement(STATS, [currentTenant().id, agentId, since]));
    return row!;
  }
}
