import type { MigrationInterface, QueryRunner } from 'typeorm';
import { divideByDay } from '#libs/database/day-partitions.js';
import { migrationRoles, systemTable, tenantTable } from '#libs/database/tenant-table.js';
import { partitionFunctions } from './1763700000017-partition-functions.js';

/**
 * Events, deliveries and attempts divided by day, what is to be sent apart from what is on record, and what endpoints can
 * be told. ADR 0019.
 */
export class Delivery1763700000017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await partitionFunctions(runner);
    // Rows are copied and foreign keys checked by the owner, who otherwise sees no row without a tenant.
    await runner.query(`alter table data.webhook_endpoints no force row level security`);
    await endpoints(runner);
    await setAsideOldTables(runner);
    const since = await oldestDay(runner);
    await events(runner, since);
    await deliveries(runner, since);
    await queue(runner);
    await attempts(runner, since);
    for (const table of ['webhook_attempts', 'webhook_deliveries', 'events'])
      await runner.query(`drop table data.old_${table}`);
    await lanes(runner);
    await stats(runner);
    await recoveries(runner);
    await runner.query(`alter table data.webhook_endpoints force row level security`);
    await runner.query(
      `create index automation_runs_finished_idx on data.automation_runs (finished_at) where finished_at is not null`,
    );
    await runner.query(`grant delete on data.automation_runs to ${migrationRoles().system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function endpoints(runner: QueryRunner): Promise<void> {
  await runner.query(`
    alter table data.webhook_endpoints
      add column filter jsonb,
      add column payload_mode text not null default 'full' check (payload_mode in ('full', 'thin')),
      add column schema_versions jsonb not null default '{}',
      add column ordering text not null default 'none' check (ordering in ('none', 'per_resource')),
      add column max_per_second integer check (max_per_second between 1 and 1000),
      add column max_concurrency integer check (max_concurrency between 1 and 100),
      add column header_names text[] not null default '{}' check (cardinality(header_names) <= 10),
      add column headers_sealed text,
      add column verified_at timestamptz(3),
      add check ((cardinality(header_names) = 0) = (headers_sealed is null))`);
}

/** The old tables keep their rows and lose everything that has a name, or keeps the owner from reading them. */
async function setAsideOldTables(runner: QueryRunner): Promise<void> {
  await runner.query(`alter table data.automation_runs drop constraint automation_runs_tenant_id_event_id_fkey`);
  for (const table of ['webhook_attempts', 'webhook_deliveries', 'events']) {
    await runner.query(`alter table data.${table} no force row level security`);
    await runner.query(`alter table data.${table} rename to old_${table}`);
    await runner.query(`
      do $$ declare r record; begin
        for r in select conname from pg_constraint where conrelid = 'data.old_${table}'::regclass and contype in ('p', 'u', 'f')
          order by contype loop
          execute format('alter table data.old_${table} drop constraint %I', r.conname);
        end loop;
        for r in select indexrelid::regclass as name from pg_index where indrelid = 'data.old_${table}'::regclass loop
          execute format('drop index %s', r.name);
        end loop;
      end $$`);
  }
}

async function oldestDay(runner: QueryRunner): Promise<Date> {
  const [row] = (await runner.query(`
    select least((select min(occurred_at) from data.old_events), (select min(created_at) from data.old_webhook_deliveries),
      now()) as at`)) as { at: Date }[];
  return row!.at;
}

async function events(runner: QueryRunner, since: Date): Promise<void> {
  const { app, system } = migrationRoles();
  // No constraint spans partitions: the lock of the relay on event_sequences is what makes a sequence number unique.
  await runner.query(`
    create table data.events (
      tenant_id uuid not null,
      id uuid not null,
      position bigint not null,
      type text not null,
      schema_version integer not null,
      occurred_at timestamptz(3) not null,
      subject_type text not null,
      subject_id text not null,
      envelope text not null,
      causation_id uuid,
      depth integer not null default 0 check (depth >= 0),
      sequence bigint,
      dispatched_at timestamptz(3),
      dispatch_error text,
      primary key (tenant_id, id),
      check ((sequence is null) = (dispatched_at is null))
    ) partition by range (id)`);
  await runner.query(`create sequence data.event_positions owned by data.events.position`);
  await runner.query(`alter table data.events alter column position set default nextval('data.event_positions')`);
  await runner.query(`grant usage on sequence data.event_positions to ${app}, ${system}`);
  await divideByDay(runner, 'events', 'id', since);
  await runner.query(`
    insert into data.events (tenant_id, id, position, type, schema_version, occurred_at, subject_type, subject_id,
      envelope, causation_id, depth, sequence, dispatched_at)
    select tenant_id, id, position, type, schema_version, occurred_at, subject_type, subject_id, envelope, causation_id,
      depth, sequence, dispatched_at from data.old_events`);
  await runner.query(`select setval('data.event_positions', (select coalesce(max(position), 0) + 1 from data.events))`);
  await runner.query(
    `create index events_pending_idx on data.events (tenant_id, position) where dispatched_at is null`,
  );
  await runner.query(`create index events_sequence_idx on data.events (tenant_id, sequence)`);
  await systemTable(runner, 'data.events', {
    app: { grant: 'select, insert' },
    system: { grant: 'select, insert', updateColumns: ['sequence', 'dispatched_at', 'dispatch_error'] },
  });
}

async function deliveries(runner: QueryRunner, since: Date): Promise<void> {
  // The id is made of the ids of event and endpoint, so that its being a key makes fan-out happen once. Version and mode
  // are those of the fan-out: every attempt sends the same bytes. `in_flight` is not stored: a delivery is in flight while
  // its entry in the queue is leased.
  await runner.query(`
    create table data.webhook_deliveries (
      tenant_id uuid not null,
      id uuid not null,
      event_id uuid not null,
      endpoint_id uuid not null,
      event_type text not null,
      schema_version integer not null,
      payload_mode text not null check (payload_mode in ('full', 'thin')),
      subject_type text not null,
      subject_id text not null,
      sequence bigint not null,
      status text not null check (status in ('pending', 'retrying', 'delivered', 'exhausted', 'held', 'skipped')),
      generation integer not null default 1 check (generation > 0),
      attempts integer not null default 0 check (attempts >= 0),
      attempt_count integer not null default 0 check (attempt_count >= attempts),
      skip_reason text check (length(skip_reason) between 1 and 500),
      created_at timestamptz(3) not null,
      delivered_at timestamptz(3),
      primary key (tenant_id, id),
      check (status <> 'delivered' or delivered_at is not null)
    ) partition by range (id)`);
  await divideByDay(runner, 'webhook_deliveries', 'id', since);
  await runner.query(`
    insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, schema_version, payload_mode,
      subject_type, subject_id, sequence, status, attempts, attempt_count, created_at, delivered_at)
    select d.tenant_id, d.id, d.event_id, d.endpoint_id, d.event_type, e.schema_version, 'full', e.subject_type, e.subject_id, e.sequence,
      case when d.status <> 'in_flight' then d.status when d.attempts = 0 then 'pending' else 'retrying' end,
      d.attempts, d.attempts, d.created_at, d.delivered_at
    from data.old_webhook_deliveries d join data.old_events e on e.tenant_id = d.tenant_id and e.id = d.event_id`);
  await runner.query(`
    alter table data.webhook_deliveries add constraint webhook_deliveries_endpoint_fkey
      foreign key (tenant_id, endpoint_id) references data.webhook_endpoints (tenant_id, id)`);
  const indexes = {
    time: '(tenant_id, created_at desc, id desc)',
    endpoint: '(tenant_id, endpoint_id, created_at desc, id desc)',
    subject: '(tenant_id, subject_id, created_at desc, id desc)',
    status: `(tenant_id, status, created_at desc, id desc) where status <> 'delivered'`,
    held: `(tenant_id, endpoint_id, created_at) where status = 'held'`,
  };
  for (const [name, columns] of Object.entries(indexes))
    await runner.query(`create index webhook_deliveries_${name}_idx on data.webhook_deliveries ${columns}`);
  await systemTable(runner, 'data.webhook_deliveries', {
    app: { grant: 'select, insert, update' },
    system: { grant: 'select, insert, update' },
  });
}

async function queue(runner: QueryRunner): Promise<void> {
  // What is to be sent: one entry per open delivery, gone when it is closed. Small whatever is on record. `due_at` is when
  // a worker should take it: the time of its next attempt, or the end of the lease of the worker that has it. `leased` has
  // its own column so that a lease can change hands without a new entry in any index (heap-only tuple).
  await runner.query(`
    create table data.webhook_queue (
      tenant_id uuid not null,
      delivery_id uuid not null,
      endpoint_id uuid not null,
      subject_id text not null,
      sequence bigint not null,
      cause text not null default 'schedule' check (cause in ('schedule', 'manual', 'replay', 'recover')),
      retry boolean not null default false,
      due_at timestamptz(3) not null,
      resume_at timestamptz(3),
      lease_token uuid,
      leased boolean not null generated always as (lease_token is not null) stored,
      primary key (tenant_id, delivery_id),
      constraint webhook_queue_endpoint_fkey foreign key (tenant_id, endpoint_id)
        references data.webhook_endpoints (tenant_id, id),
      check (cause = 'manual' or resume_at is null)
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
      autovacuum_analyze_scale_factor = 0.05)`);
  await runner.query(`
    insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, retry, due_at)
    select d.tenant_id, d.id, d.endpoint_id, e.subject_id, e.sequence, d.attempts > 0, d.due_at
    from data.old_webhook_deliveries d join data.old_events e on e.tenant_id = d.tenant_id and e.id = d.event_id
    where d.due_at is not null`);
  // Without lists of equal keys: one is skipped as dead only when all its rows are, and each claim would look at those of
  // everything that was sent before.
  const single = 'with (deduplicate_items = off)';
  await runner.query(
    `create index webhook_queue_due_idx on data.webhook_queue (tenant_id, endpoint_id, retry, due_at) ${single}`,
  );
  await runner.query(
    `create index webhook_queue_leased_idx on data.webhook_queue (tenant_id, endpoint_id) ${single} where leased`,
  );
  await runner.query(
    `create index webhook_queue_subject_idx on data.webhook_queue (tenant_id, endpoint_id, subject_id, sequence)`,
  );
  await systemTable(runner, 'data.webhook_queue', {
    app: { grant: 'select, insert, update, delete' },
    system: { grant: 'select, insert, update, delete' },
  });
}

async function attempts(runner: QueryRunner, since: Date): Promise<void> {
  // A test of an endpoint is an attempt without a delivery.
  await runner.query(`
    create table data.webhook_attempts (
      tenant_id uuid not null,
      delivery_id uuid not null,
      number integer not null check (number > 0),
      endpoint_id uuid not null,
      cause text not null check (cause in ('schedule', 'manual', 'replay', 'recover', 'test')),
      started_at timestamptz(3) not null,
      duration_ms integer not null check (duration_ms >= 0),
      dns_ms integer check (dns_ms >= 0),
      connect_ms integer check (connect_ms >= 0),
      tls_ms integer check (tls_ms >= 0),
      first_byte_ms integer check (first_byte_ms >= 0),
      remote_address text,
      http_status integer,
      error text,
      error_detail text,
      response_headers jsonb not null default '{}',
      response_excerpt text,
      key_ids text[] not null default '{}',
      primary key (tenant_id, delivery_id, number)
    ) partition by range (delivery_id)`);
  await divideByDay(runner, 'webhook_attempts', 'delivery_id', since);
  await runner.query(`
    insert into data.webhook_attempts (tenant_id, delivery_id, number, endpoint_id, cause, started_at, duration_ms,
      http_status, error, error_detail, response_excerpt)
    select a.tenant_id, a.delivery_id, a.number, d.endpoint_id, 'schedule', a.started_at, a.duration_ms, a.http_status,
      a.error, a.error_detail, a.response_excerpt
    from data.old_webhook_attempts a
      join data.old_webhook_deliveries d on d.tenant_id = a.tenant_id and d.id = a.delivery_id`);
  await runner.query(
    `create index webhook_attempts_endpoint_idx on data.webhook_attempts
       (tenant_id, endpoint_id, started_at desc, delivery_id desc, number desc)`,
  );
  await tenantTable(runner, 'data.webhook_attempts', { grant: 'select, insert' });
}

async function lanes(runner: QueryRunner): Promise<void> {
  // What the scheduler must know of an endpoint, in all tenants: its limits, and how it has done lately.
  await runner.query(`
    create table data.webhook_lanes (
      tenant_id uuid not null,
      endpoint_id uuid not null,
      ordering text not null check (ordering in ('none', 'per_resource')),
      max_per_second integer,
      max_concurrency integer,
      taken_until timestamptz,
      open_until timestamptz(3),
      openings integer not null default 0 check (openings >= 0),
      consecutive_failures integer not null default 0 check (consecutive_failures >= 0),
      window_started_at timestamptz(3),
      window_attempts integer not null default 0,
      window_failures integer not null default 0,
      failing_since timestamptz(3),
      failed_attempts integer not null default 0,
      warnings integer not null default 0,
      last_success_at timestamptz(3),
      last_failure_at timestamptz(3),
      recent_ms integer[] not null default '{}',
      slow boolean not null default false,
      primary key (tenant_id, endpoint_id),
      constraint webhook_lanes_endpoint_fkey foreign key (tenant_id, endpoint_id)
        references data.webhook_endpoints (tenant_id, id)
    ) with (fillfactor = 70)`);
  await runner.query(`
    insert into data.webhook_lanes (tenant_id, endpoint_id, ordering, max_per_second, max_concurrency)
    select tenant_id, id, ordering, max_per_second, max_concurrency from data.webhook_endpoints`);
  await runner.query(
    `create index webhook_lanes_failing_idx on data.webhook_lanes (tenant_id, endpoint_id) where failing_since is not null`,
  );
  await systemTable(runner, 'data.webhook_lanes', {
    app: { grant: 'select, insert, update' },
    system: { grant: 'select, insert, update' },
  });
}

async function stats(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.webhook_stats (
      tenant_id uuid not null,
      endpoint_id uuid not null,
      minute timestamptz(0) not null,
      delivered integer not null default 0,
      failed integer not null default 0,
      durations integer[] not null,
      primary key (tenant_id, endpoint_id, minute),
      foreign key (tenant_id, endpoint_id) references data.webhook_endpoints (tenant_id, id)
    ) with (fillfactor = 70)`);
  await tenantTable(runner, 'data.webhook_stats', { grant: 'select, insert, update, delete' });
}

async function recoveries(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.webhook_recoveries (
      tenant_id uuid not null,
      id uuid not null,
      endpoint_id uuid not null,
      since timestamptz(3) not null,
      until timestamptz(3) not null,
      statuses text[] not null,
      event_types text[],
      status text not null check (status in ('running', 'completed', 'cancelled')),
      matched bigint not null check (matched >= 0),
      recovered bigint not null default 0 check (recovered >= 0),
      examined bigint not null default 0 check (examined >= 0),
      after_sequence bigint not null default 0,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      finished_at timestamptz(3),
      created_by jsonb not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, endpoint_id) references data.webhook_endpoints (tenant_id, id),
      check ((status = 'running') = (finished_at is null)),
      check (since < until)
    )`);
  await runner.query(
    `create index webhook_recoveries_running_idx on data.webhook_recoveries (tenant_id, id) where status = 'running'`,
  );
  await runner.query(
    `create index webhook_recoveries_endpoint_idx on data.webhook_recoveries (tenant_id, endpoint_id, created_at desc, id desc)`,
  );
  await systemTable(runner, 'data.webhook_recoveries', {
    app: { grant: 'select, insert, update' },
    system: { grant: 'select, insert, update' },
  });
}
