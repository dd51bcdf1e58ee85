import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { exactSum } from '#libs/database/exact-sum.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { AgentFigures, JobFigures, WaitingJob } from './overview.dto.js';
import type { AiUsageEntry, Grouping } from './usage.dto.js';

// Usage is summed over the entries of the plan's account, which every reservation has. An entry can be from a later
// month than its account.
const ENTRIES = `
  from data.ai_accounts a join data.ai_ledger l on l.tenant_id = a.tenant_id and l.account_id = a.id
  where a.tenant_id = $1 and a.kind = 'plan' and l.at >= $2 and l.at < $3`;
const COST = `select ${exactSum('coalesce(sum(l.spent_delta), 0)')} as cost ${ENTRIES}`;
const KEYS: Record<Grouping, string> = {
  day: `to_char(l.at at time zone $5, 'YYYY-MM-DD')`,
  agent: 'r.agent_id::text',
  member: 'r.member_id::text',
  model: `r.provider || '/' || r.model`,
  kind: 'r.kind',
};
const usageBy = (grouping: Grouping): string => `
  select ${KEYS[grouping]} as key, count(distinct r.job_id) filter (where l.kind = 'reserve')::integer as jobs,
    ${exactSum('sum(l.input_tokens)')} as "inputTokens", ${exactSum('sum(l.output_tokens)')} as "outputTokens",
    ${exactSum('sum(l.spent_delta)')} as "costMicros"
  ${ENTRIES.replace('where', 'join data.ai_reservations r on r.tenant_id = l.tenant_id and r.id = l.reservation_id where')}
    and ($4::uuid is null or coalesce(r.member_id, r.api_key_id) = $4)
  group by 1 order by "costMicros" desc, jobs desc, key limit 1000`;
const BUDGETS = `
  select b.scope_type as "scopeType", b.scope_id as "scopeId", b.period, b.limit_micros as "limitMicros",
    coalesce(a.spent_micros, 0)::bigint as "spentMicros", coalesce(a.held_micros, 0)::bigint as "reservedMicros",
    b.hard_stop as "hardStop", a.soft_reached_at is not null as "isSoft", a.exhausted_at is not null as "isExhausted"
  from data.ai_budgets b left join data.ai_accounts a on a.tenant_id = b.tenant_id and a.kind = 'budget'
    and a.subject_id = b.id and a.period_start = date_trunc(b.period, $2::date::timestamp)::date
  where b.tenant_id = $1 and b.deleted_at is null and b.enabled
    and ($3::text is null or (b.scope_type in ('member', 'api_key') and b.scope_id = $3))
  order by b.created_at, b.id limit 200`;
const LATENCY = `(extract(epoch from j.finished_at - j.started_at) * 1000)::integer`;
const JOBS = `
  select count(*) filter (where j.status in ('queued', 'approved'))::integer as queued,
    count(*) filter (where j.status = 'running')::integer as running,
    count(*) filter (where j.status = 'succeeded' and j.finished_at >= $2)::integer as "succeeded24h",
    count(*) filter (where j.status = 'failed' and j.finished_at >= $2)::integer as "failed24h",
    count(*) filter (where j.status = 'over_cost_cap' and j.finished_at >= $2)::integer as "overCap24h",
    percentile_disc(0.5) within group (order by ${LATENCY}) as "p50LatencyMs",
    percentile_disc(0.95) within group (order by ${LATENCY}) as "p95LatencyMs"
  from data.ai_jobs j where j.tenant_id = $1
    and (j.status in ('queued', 'approved', 'running') or j.finished_at >= $2)`;
const WAITING = `
  select j.id as "jobId", j.name, j.kind, j.estimated_cost_micros as "estimatedCostMicros", j.queued_at as "waitingSince",
    (count(*) over ())::integer as count
  from data.ai_jobs j where j.tenant_id = $1 and j.status = 'awaiting_approval' order by j.queued_at, j.id limit 10`;
const AGENTS = `
  select count(*) filter (where status = 'active')::integer as active,
    count(*) filter (where status = 'paused')::integer as paused
  from data.intelligence_agents where tenant_id = $1 and deleted_at is null and status in ('active', 'paused')`;
const CALLS = `
  select c.provider as key, count(*)::integer as calls,
    count(*) filter (where c.state <> 'done')::integer as failures,
    (array_agg(c.state order by c.finished_at desc))[1] as last
  from data.ai_calls c where c.tenant_id = $1 and c.sent_at >= $2 and c.finished_at is not null group by c.provider`;

export interface BudgetRow {
  scopeType: string;
  scopeId: string;
  period: 'day' | 'week' | 'month';
  limitMicros: number;
  spentMicros: number;
  reservedMicros: number;
  hardStop: boolean;
  isSoft: boolean;
  isExhausted: boolean;
}

export interface CallFigures {
  key: string;
  calls: number;
  failures: number;
  last: string;
}

/** Statistics of AI jobs from ledger, jobs and calls. */
@Injectable()
export class InsightRepository {
  constructor(private readonly database: Database) {}

  /** Spent between two instants, micros; null if JSON cannot represent it exactly. */
  async cost(from: string, to: string): Promise<number | null> {
    const [row] = await this.read<{ cost: number | null }>(COST, [from, to]);
    return row!.cost;
  }

  /** Usage, the most expensive first, of one person or key, or of all. Days are in the given time zone. */
  usage(
    grouping: Grouping,
    from: string,
    to: string,
    timeZone: string,
    person: string | null,
  ): Promise<AiUsageEntry[]> {
    return this.read<AiUsageEntry>(usageBy(grouping), [from, to, person, ...(grouping === 'day' ? [timeZone] : [])]);
  }

  /** The oldest enabled budgets, in the period that contains a day; of one person or key, or all. */
  budgets(day: string, person: string | null): Promise<BudgetRow[]> {
    return this.read<BudgetRow>(BUDGETS, [day, person]);
  }

  /** Open jobs, and jobs that ended after an instant. */
  async jobs(since: string): Promise<JobFigures> {
    const [row] = await this.read<JobFigures>(JOBS, [since]);
    return row!;
  }

  /** Jobs that wait for approval: the first ones, and the total number. */
  async waiting(): Promise<{ count: number; items: WaitingJob[] }> {
    const rows = await this.read<WaitingJob & { count: number }>(WAITING, []);
    return { count: rows[0]?.count ?? 0, items: rows.map(({ count: _, ...item }) => item) };
  }

  async agents(): Promise<AgentFigures> {
    const [row] = await this.read<AgentFigures>(AGENTS, []);
    return row!;
  }

  /** Finished calls that were sent after an instant, by provider. */
  calls(since: string): Promise<CallFigures[]> {
    return this.read<CallFigures>(CALLS, [since]);
  }

  private read<R extends object>(text: string, values: readonly unknown[]): Promise<R[]> {
    return this.database.read<R>(statement(text, [currentTenant().id, ...values]));
  }
}
