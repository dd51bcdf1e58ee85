import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { RunFailure } from './automations.js';

/** Runs made ready by one promotion. */
export const PROMOTED = 500;
/** Tenants found by one query. */
export const TENANTS = 100;

// The only statement that compares due times across all tenants. It stays cheap because promoted runs leave the index.
const PROMOTE = `
  update data.automation_runs r set state = 'ready'
  from (select tenant_id, kind, key from data.automation_runs where state = 'waiting' and due_at <= $1
    order by due_at limit ${PROMOTED} for no key update skip locked) due
  where r.tenant_id = due.tenant_id and r.kind = due.kind and r.key = due.key`;
// Skips from tenant to tenant in automation_runs_ready_idx, so a tenant with a million runs costs no more than one with
// a single run. Ready runs of a suspended tenant wait until it is served again.
const READY_TENANTS = `
  with recursive ready (tenant_id) as (
    (select tenant_id from data.automation_runs where state = 'ready' and tenant_id > $1 order by tenant_id limit 1)
    union all
    select next.tenant_id from ready, lateral (
      select r.tenant_id from data.automation_runs r where r.state = 'ready' and r.tenant_id > ready.tenant_id
      order by r.tenant_id limit 1) next)
  select tenant_id from ready where exists (select from directory.tenants t where t.id = ready.tenant_id and t.is_served)
  limit ${TENANTS}`;
// A run waits for earlier runs of the same flow and subject, so a flow sees the events of a subject in order.
const TAKE = `
  with next as (
    select r.kind, r.key from data.automation_runs r
    where r.tenant_id = $1 and r.state = 'ready' and r.kind = any($2::text[])
      and not exists (
        select 1 from data.automation_runs e
        where e.tenant_id = $1 and e.kind = r.kind and e.subject_id = r.subject_id and e.position < r.position
          and e.state in ('waiting', 'ready'))
    order by r.due_at, r.position limit 1 for no key update skip locked),
  taken as (
    update data.automation_runs r set state = 'done', finished_at = now()
    from next where r.tenant_id = $1 and r.kind = next.kind and r.key = next.key
    returning r.kind, r.key, r.attempts, r.event_id, r.position)
  select taken.kind, taken.key, taken.attempts, e.envelope, taken.position::text as sequence, e.depth,
    e.correlation_id as "correlationId", e.traceparent
  from taken left join data.events e on e.tenant_id = $1 and e.id = taken.event_id`;
// Only if it is unchanged: it may have been moved or cancelled, or another worker may have completed it.
const FAIL = `
  update data.automation_runs set attempts = $4::integer + 1, error_code = $6, error_detail = $7,
    state = case when $5::timestamptz is null then 'failed' else 'waiting' end, due_at = coalesce($5, due_at),
    finished_at = case when $5::timestamptz is null then now() end
  where tenant_id = $1 and kind = $2 and key = $3 and state = 'ready' and attempts = $4
  returning true as failed`;

/** A run that was taken: of a flow, with its event, or of a timer. */
export interface TakenRun {
  kind: string;
  key: string;
  /** Number of failed attempts so far. */
  attempts: number;
  envelope: string | null;
  sequence: string | null;
  depth: number | null;
  correlationId: string | null;
  /** Place of the event in a trace; null without one. */
  traceparent: string | null;
}

/** Why an attempt failed, and when it is retried; `retryAt` is null when it is not. */
export interface Failure extends RunFailure {
  retryAt: string | null;
}

/** Stores the runs of flows and timers. PostgreSQL is the source of truth. */
@Injectable()
export class Runs {
  constructor(private readonly database: Database) {}

  /** Marks runs that are due as ready; returns their number. Needs the `system` role. */
  async promote(at: Date): Promise<number> {
    const [answer] = await this.database.system([statement(PROMOTE, [at.toISOString()])]);
    return answer!.count;
  }

  /** The next tenants after `afterId` with ready runs, ordered by id. Needs the `system` role. */
  async readyTenants(afterId: string): Promise<string[]> {
    const [answer] = await this.database.system([statement(READY_TENANTS, [afterId])]);
    return answer!.rows.map((row) => String(row['tenant_id']));
  }

  /**
   * Takes the tenant's next run of these kinds and marks it as done within the transaction; null when there is none.
   */
  async take(transaction: Transaction, kinds: readonly string[]): Promise<TakenRun | null> {
    const [run] = await transaction.query<TakenRun>(statement(TAKE, [currentTenant().id, kinds]));
    return run ?? null;
  }

  /** Records a failed attempt. False if the run has changed since it was taken. */
  async fail(
    transaction: Transaction,
    { kind, key, attempts }: TakenRun,
    { code, detail, retryAt }: Failure,
  ): Promise<boolean> {
    const values = [currentTenant().id, kind, key, attempts, retryAt, code, detail];
    return (await transaction.query(statement(FAIL, values))).length > 0;
  }
}
