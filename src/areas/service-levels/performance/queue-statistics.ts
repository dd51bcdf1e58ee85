import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentTenant } from '#libs/tenancy/scope.js';

export const QUEUES = ['webhooks', 'automations', 'ai_jobs', 'jobs'] as const;
export type QueueName = (typeof QUEUES)[number];

/** The background work of a tenant in one queue. Entries are the rows of the queue, in PostgreSQL. */
export interface QueueFigures {
  name: QueueName;
  waiting: number;
  /** Null if it is not recorded. */
  active: number | null;
  delayed: number;
  oldestSeconds: number | null;
  processedLastHour: number;
  failed: number;
  p95Ms: number | null;
}

const HOUR_AGO = `$2::timestamptz - interval '1 hour'`;
const ageOf = (column: string, condition: string) =>
  `round(extract(epoch from $2::timestamptz - min(${column}) filter (where ${condition})), 3)::float8`;
const p95 = (from: string, to: string, condition: string) =>
  `round((percentile_cont(0.95) within group (order by extract(epoch from ${to} - ${from})::float8 * 1000)
    filter (where ${condition}))::numeric, 3)::float8`;

interface QueueSql {
  name: QueueName;
  /** Yields waiting, active, delayed and seconds. */
  open: string;
  /** Yields processed, failed and p95. */
  ended: string;
}

const DUE = 'lease_token is null and due_at <= $2::timestamptz';
const AUTOMATION_DUE = `due_at <= $2::timestamptz`;
const AI_DUE = `state = 'due' and due_at <= $2::timestamptz`;

/** What is open in a queue whose rows are leased while they are worked on. */
const leased = (table: string) => `
  select count(*) filter (where ${DUE}) as waiting, count(*) filter (where lease_token is not null) as active,
    count(*) filter (where lease_token is null and due_at > $2::timestamptz) as delayed, ${ageOf('due_at', DUE)} as seconds
  from ${table} where tenant_id = $1`;

/** The attempts at webhooks are counted by the minute; the other queues keep their finished rows. */
const SOURCES: readonly QueueSql[] = [
  {
    name: 'webhooks',
    open: leased('data.webhook_queue'),
    ended: `select (select coalesce(sum(delivered + failed), 0) from data.webhook_stats
          where tenant_id = $1 and minute > ${HOUR_AGO}) as processed,
        (select coalesce(sum(failed), 0) from data.webhook_stats
          where tenant_id = $1 and minute > ${HOUR_AGO}) as failed,
        ${p95('created_at', 'delivered_at', 'delivered_at is not null')} as p95
      from data.webhook_deliveries where tenant_id = $1 and created_at > ${HOUR_AGO}`,
  },
  {
    name: 'automations',
    open: `select count(*) filter (where ${AUTOMATION_DUE}) as waiting, null::bigint as active,
        count(*) filter (where due_at > $2::timestamptz) as delayed, ${ageOf('due_at', AUTOMATION_DUE)} as seconds
      from data.automation_runs where tenant_id = $1 and state in ('waiting', 'ready')`,
    ended: `select count(*) filter (where state <> 'cancelled') as processed,
        count(*) filter (where state = 'failed') as failed, ${p95('due_at', 'finished_at', `state = 'done'`)} as p95
      from data.automation_runs where tenant_id = $1 and finished_at > ${HOUR_AGO}`,
  },
  {
    name: 'ai_jobs',
    open: `select count(*) filter (where ${AI_DUE}) as waiting,
        count(*) filter (where state in ('running', 'closing')) as active,
        count(*) filter (where state = 'waiting' or (state = 'due' and due_at > $2::timestamptz)) as delayed,
        ${ageOf('due_at', AI_DUE)} as seconds
      from data.ai_queue where tenant_id = $1`,
    ended: `select count(*) filter (where status <> 'cancelled') as processed,
        count(*) filter (where status in ('failed', 'over_cost_cap')) as failed,
        ${p95('queued_at', 'finished_at', `status = 'succeeded'`)} as p95
      from data.ai_jobs where tenant_id = $1 and finished_at > ${HOUR_AGO}`,
  },
  {
    name: 'jobs',
    open: leased('data.job_queue'),
    ended: `select count(*) filter (where status <> 'cancelled') as processed,
        count(*) filter (where status = 'failed') as failed,
        ${p95('created_at', 'finished_at', `status = 'succeeded'`)} as p95
      from data.jobs where tenant_id = $1 and finished_at > ${HOUR_AGO}`,
  },
];
const READ = SOURCES.map(
  ({ name, open, ended }) => `
    select '${name}' as name, open.waiting, open.active, open.delayed, open.seconds as "oldestSeconds",
      ended.processed::bigint as "processedLastHour", ended.failed::bigint as failed, ended.p95 as "p95Ms"
    from (${open}) open, (${ended}) ended`,
).join(' union all ');

/** The queues of the current tenant. */
@Injectable()
export class QueueStatistics {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  read(): Promise<QueueFigures[]> {
    const now = this.clock.now().toISOString();
    return this.database.read<QueueFigures>(statement(READ, [currentTenant().id, now]));
  }
}
