import type { MigrationInterface, QueryRunner } from 'typeorm';
import { systemTable, tenantTable } from '#libs/database/tenant-table.js';

/** Webhook endpoints, one row per event and endpoint to deliver, one row per attempt. */
export class Webhooks1763700000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.webhook_endpoints (
        tenant_id uuid not null,
        id uuid not null,
        url text not null,
        description text,
        event_types text[] not null check (cardinality(event_types) > 0),
        status text not null check (status in ('enabled', 'paused', 'disabled')),
        disabled_reason text,
        timeout_ms integer not null check (timeout_ms between 1000 and 30000),
        secret_sealed text not null,
        previous_secret_sealed text,
        previous_secret_expires_at timestamptz(3),
        version integer not null check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        created_by jsonb not null,
        updated_by jsonb not null,
        deleted_at timestamptz(3),
        primary key (tenant_id, id),
        check (previous_secret_sealed is null or previous_secret_expires_at is not null)
      )`);
    await runner.query(
      `create index webhook_endpoints_time_idx on data.webhook_endpoints (tenant_id, created_at desc, id desc)`,
    );
    await tenantTable(runner, 'data.webhook_endpoints', { grant: 'select, insert, update' });

    // `due_at` is when a worker should take the delivery: the time of its next attempt, or the end of the lease of the
    // worker that has it. Rows change a few times within seconds of their birth, hence room on the pages and an early vacuum.
    await runner.query(`
      create table data.webhook_deliveries (
        tenant_id uuid not null,
        id uuid not null,
        event_id uuid not null,
        endpoint_id uuid not null,
        event_type text not null,
        status text not null check (status in
          ('pending', 'in_flight', 'retrying', 'delivered', 'exhausted', 'held', 'skipped')),
        attempts integer not null default 0 check (attempts >= 0),
        due_at timestamptz(3),
        lease_token uuid,
        created_at timestamptz(3) not null,
        delivered_at timestamptz(3),
        primary key (tenant_id, id),
        constraint webhook_deliveries_once unique (tenant_id, event_id, endpoint_id),
        foreign key (tenant_id, event_id) references data.events (tenant_id, id),
        foreign key (tenant_id, endpoint_id) references data.webhook_endpoints (tenant_id, id),
        check ((status in ('pending', 'in_flight', 'retrying')) = (due_at is not null)),
        check ((status = 'in_flight') = (lease_token is not null)),
        check ((status = 'delivered') = (delivered_at is not null))
      ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`);
    await runner.query(
      `create index webhook_deliveries_due_idx on data.webhook_deliveries (tenant_id, endpoint_id, due_at)
         where due_at is not null`,
    );
    await runner.query(
      `create index webhook_deliveries_leased_idx on data.webhook_deliveries (tenant_id, endpoint_id)
         where status = 'in_flight'`,
    );
    await runner.query(
      `create index webhook_deliveries_held_idx on data.webhook_deliveries (tenant_id, endpoint_id, created_at)
         where status = 'held'`,
    );
    await runner.query(
      `create index webhook_deliveries_endpoint_idx on data.webhook_deliveries (tenant_id, endpoint_id, created_at desc, id desc)`,
    );
    await systemTable(runner, 'data.webhook_deliveries', {
      app: { grant: 'select, insert, update' },
      system: { grant: 'select, insert, update' },
    });

    await runner.query(`
      create table data.webhook_attempts (
        tenant_id uuid not null,
        id uuid not null,
        delivery_id uuid not null,
        number integer not null check (number > 0),
        started_at timestamptz(3) not null,
        duration_ms integer not null check (duration_ms >= 0),
        http_status integer,
        error text,
        error_detail text,
        response_excerpt text,
        primary key (tenant_id, id),
        foreign key (tenant_id, delivery_id) references data.webhook_deliveries (tenant_id, id)
      )`);
    await runner.query(
      `create index webhook_attempts_delivery_idx on data.webhook_attempts (tenant_id, delivery_id, number)`,
    );
    await tenantTable(runner, 'data.webhook_attempts', { grant: 'select, insert' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
