import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationRoles, systemTable, tenantTable } from '#libs/database/tenant-table.js';

/** What every record needs: data keys, number series, idempotency, the audit log and the outbox. */
export class Records1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system, lookup } = migrationRoles();
    await runner.query(`grant usage on schema data to ${app}, ${system}, ${lookup}`);

    // Makes a flight fail when a statement in it did not change as many rows as it must.
    await runner.query(`
      create function data.expect_rows(actual bigint, expected bigint, what text) returns boolean
        language plpgsql set search_path = pg_catalog as $$
      begin
        if actual <> expected then
          raise exception '%', what using errcode = 'TOP02';
        end if;
        return true;
      end $$`);

    await runner.query(`
      create table data.data_keys (
        tenant_id uuid not null,
        version integer not null check (version > 0),
        wrapped bytea not null,
        created_at timestamptz(3) not null,
        primary key (tenant_id, version)
      )`);
    await tenantTable(runner, 'data.data_keys', { grant: 'select, insert' });

    await runner.query(`
      create table data.number_series (
        tenant_id uuid not null,
        series text not null,
        next bigint not null check (next > 0),
        primary key (tenant_id, series)
      )`);
    await tenantTable(runner, 'data.number_series', { grant: 'select, insert, update' });

    await runner.query(`
      create table data.idempotency_keys (
        tenant_id uuid not null,
        lineage_id uuid not null,
        operation text not null,
        key text not null check (length(key) between 1 and 255),
        fingerprint bytea not null,
        owner uuid not null,
        request_id text not null,
        locked_until timestamptz(3) not null,
        completed_at timestamptz(3),
        status integer,
        headers jsonb,
        body text,
        primary key (tenant_id, lineage_id, operation, key)
      )`);
    await runner.query(`create index idempotency_keys_done_idx on data.idempotency_keys (completed_at, locked_until)`);
    await systemTable(runner, 'data.idempotency_keys', {
      app: { grant: 'select, insert, update, delete' },
      system: { grant: 'select, delete' },
    });

    await runner.query(`
      create table data.audit_log (
        tenant_id uuid not null,
        id uuid not null,
        occurred_at timestamptz(3) not null,
        actor_type text not null,
        actor_id text,
        action text not null,
        target_type text,
        target_id text,
        outcome text not null check (outcome in ('success', 'denied', 'failed')),
        risk_level text not null check (risk_level in ('low', 'medium', 'high')),
        request_id text not null,
        entry text not null,
        leaf_hash bytea not null check (length(leaf_hash) = 32),
        client_ip text,
        user_agent text,
        context_salt bytea,
        primary key (tenant_id, id)
      )`);
    await runner.query(`create index audit_log_time_idx on data.audit_log (tenant_id, occurred_at desc, id desc)`);
    await runner.query(
      `create index audit_log_target_idx on data.audit_log (tenant_id, target_id, occurred_at desc, id desc)`,
    );
    await runner.query(`
      create function data.refuse_change() returns trigger language plpgsql set search_path = pg_catalog as $$
      begin
        raise exception 'the audit log is append-only' using errcode = 'TOP03';
      end $$`);
    await runner.query(`
      create trigger append_only before update or delete on data.audit_log
        for each row execute function data.refuse_change()`);
    await runner.query(`
      create trigger append_only_all before truncate on data.audit_log
        for each statement execute function data.refuse_change()`);
    await tenantTable(runner, 'data.audit_log', { grant: 'select, insert' });

    await runner.query(`
      create table data.events (
        tenant_id uuid not null,
        id uuid not null,
        position bigint not null generated always as identity,
        type text not null,
        schema_version integer not null,
        occurred_at timestamptz(3) not null,
        subject_type text not null,
        subject_id text not null,
        envelope text not null,
        sequence bigint,
        dispatched_at timestamptz(3),
        primary key (tenant_id, id),
        constraint events_sequence_key unique (tenant_id, sequence),
        check ((sequence is null) = (dispatched_at is null))
      )`);
    await runner.query(
      `create index events_pending_idx on data.events (tenant_id, position) where dispatched_at is null`,
    );
    await systemTable(runner, 'data.events', {
      app: { grant: 'select, insert' },
      system: { grant: 'select, insert', updateColumns: ['sequence', 'dispatched_at'] },
    });

    await runner.query(`
      create table data.event_sequences (
        tenant_id uuid primary key,
        last bigint not null check (last >= 0)
      )`);
    await tenantTable(runner, 'data.event_sequences', { grant: 'select, insert, update' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
