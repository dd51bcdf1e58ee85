import type { QueryRunner } from 'typeorm';
import { systemTable, tenantTable } from '#libs/database/tenant-table.js';

const OPEN = `'queued', 'approved', 'awaiting_approval'`;

/** What the worker must know of jobs in all tenants, and the calls that are made for them. ADR 0025. */
export async function aiRuns(runner: QueryRunner): Promise<void> {
  await queue(runner);
  await follow(runner);
  await stopWithAgents(runner);
  await lanes(runner);
  await calls(runner);
}

/** One row for each job that is not over, or whose money is not settled yet; nothing of its content. */
async function queue(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.ai_queue (
      tenant_id uuid not null,
      job_id uuid not null,
      agent_id uuid,
      state text not null check (state in ('waiting', 'due', 'running', 'closing')),
      rank_at timestamptz(3) not null,
      due_at timestamptz(3) not null,
      expires_at timestamptz(3),
      stop_reason text check (stop_reason in ('paused', 'agent_paused')),
      lease_token uuid,
      lease_until timestamptz(3),
      takeovers integer not null default 0 check (takeovers >= 0),
      primary key (tenant_id, job_id),
      foreign key (tenant_id, job_id) references data.ai_jobs (tenant_id, id),
      check ((lease_token is null) = (lease_until is null)),
      check (state <> 'waiting' or lease_token is null)
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
      autovacuum_analyze_scale_factor = 0.05)`);
  await runner.query(`create index ai_queue_open_idx on data.ai_queue (tenant_id, rank_at) where state <> 'waiting'`);
  await runner.query(`create index ai_queue_leased_idx on data.ai_queue (tenant_id) where lease_token is not null`);
  await runner.query(
    `create index ai_queue_running_idx on data.ai_queue (tenant_id, rank_at) where state in ('running', 'closing')`,
  );
  await runner.query(
    `create index ai_queue_agent_idx on data.ai_queue (tenant_id, agent_id) where agent_id is not null`,
  );
  await runner.query(
    `create index ai_queue_stops_idx on data.ai_queue (tenant_id, job_id) where stop_reason is not null`,
  );
  await runner.query(
    `create index ai_queue_expiry_idx on data.ai_queue (expires_at)
       where expires_at is not null and state in ('waiting', 'due')`,
  );
  const access = { grant: 'select, insert, update, delete' };
  await systemTable(runner, 'data.ai_queue', { app: access, system: access });
}

/**
 * The queue follows the states of jobs, whoever changes them. A job that leaves `running` keeps its row, and the lease on
 * it: whoever runs it has to settle what its calls cost, and then deletes the row. Each step of priority is worth two
 * minutes of waiting.
 */
async function follow(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.follow_ai_job() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if new.status in (${OPEN}) then
        insert into data.ai_queue as q (tenant_id, job_id, agent_id, state, rank_at, due_at, expires_at)
          values (new.tenant_id, new.id, new.agent_id,
            case new.status when 'awaiting_approval' then 'waiting' else 'due' end,
            new.queued_at - new.priority * interval '2 minutes', now(), new.deadline_at)
        on conflict (tenant_id, job_id) do update set state = excluded.state, due_at = excluded.due_at,
          rank_at = excluded.rank_at, expires_at = excluded.expires_at, lease_token = null, lease_until = null;
      elsif new.status = 'running' then
        update data.ai_queue q set state = 'running' where q.tenant_id = new.tenant_id and q.job_id = new.id;
      elsif tg_op = 'UPDATE' and old.status = 'running' then
        update data.ai_queue q set state = 'closing' where q.tenant_id = new.tenant_id and q.job_id = new.id;
      else
        delete from data.ai_queue q where q.tenant_id = new.tenant_id and q.job_id = new.id;
      end if;
      return null;
    end $$`);
  await runner.query(`
    create trigger follow_new_ai_job after insert on data.ai_jobs for each row execute function data.follow_ai_job()`);
  await runner.query(`
    create trigger follow_ai_job after update on data.ai_jobs for each row
      when (old.status is distinct from new.status) execute function data.follow_ai_job()`);
}

/** An agent that is not active any more has nothing run. */
async function stopWithAgents(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.stop_jobs_of_agent() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      update data.ai_queue q set stop_reason = 'agent_paused'
        where q.tenant_id = new.tenant_id and q.agent_id = new.id and q.stop_reason is null;
      return null;
    end $$`);
  await runner.query(`
    create trigger stop_jobs_of_agent after update on data.intelligence_agents for each row
      when (new.status <> 'active' or new.deleted_at is not null) execute function data.stop_jobs_of_agent()`);
}

/** How many jobs of a tenant may run at a time, as its policy says; tenants without a row have the default. */
async function lanes(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.ai_lanes (
      tenant_id uuid primary key,
      concurrency integer not null check (concurrency > 0)
    )`);
  await systemTable(runner, 'data.ai_lanes', {
    app: { grant: 'select, insert, update' },
    system: { grant: 'select' },
  });
}

/**
 * Requests to models. A row is there before its request is sent, so that nothing can be sent unnoticed; a job has one under
 * way at most, and no step is answered twice. What was asked stands nowhere, only its hash; answers are sealed and wiped
 * when the job is over. Prices are micros per 1,000 tokens, those in force when the request was sent.
 */
async function calls(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.ai_calls (
      tenant_id uuid not null,
      id uuid not null,
      job_id uuid not null,
      reservation_id uuid not null,
      attempt integer not null check (attempt > 0),
      step integer not null check (step > 0),
      state text not null check (state in ('sending', 'done', 'refused', 'in_doubt')),
      provider text not null,
      model text not null,
      request_hash text not null check (length(request_hash) = 64),
      max_output_tokens integer not null check (max_output_tokens > 0),
      input_price bigint not null check (input_price >= 0),
      output_price bigint not null check (output_price >= 0),
      cached_price bigint not null check (cached_price >= 0),
      worst_micros bigint not null check (worst_micros >= 0),
      cost_micros bigint not null default 0 check (cost_micros >= 0),
      input_tokens integer not null default 0 check (input_tokens >= 0),
      output_tokens integer not null default 0 check (output_tokens >= 0),
      cached_tokens integer not null default 0 check (cached_tokens >= 0),
      tries integer not null default 1 check (tries > 0),
      finish text,
      fault text,
      provider_request_id text,
      answer text,
      results text,
      tools jsonb not null default '[]' check (jsonb_typeof(tools) = 'array'),
      sent_at timestamptz(3) not null,
      finished_at timestamptz(3),
      latency_ms integer check (latency_ms >= 0),
      primary key (tenant_id, id),
      foreign key (tenant_id, job_id) references data.ai_jobs (tenant_id, id),
      check ((state = 'sending') = (finished_at is null)),
      check (state in ('done', 'in_doubt') or cost_micros = 0)
    )`);
  await runner.query(`create index ai_calls_job_idx on data.ai_calls (tenant_id, job_id, id)`);
  await runner.query(`create index ai_calls_sent_idx on data.ai_calls (tenant_id, sent_at)`);
  await runner.query(
    `create unique index ai_calls_sending_key on data.ai_calls (tenant_id, job_id) where state = 'sending'`,
  );
  await runner.query(
    `create unique index ai_calls_step_key on data.ai_calls (tenant_id, job_id, attempt, step) where state = 'done'`,
  );
  await tenantTable(runner, 'data.ai_calls', { grant: 'select, insert, update' });
}
