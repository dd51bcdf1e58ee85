import type { MigrationInterface, QueryRunner } from 'typeorm';
import { systemTable, tenantTable } from '#libs/database/tenant-table.js';

/** Destinations of the audit log, and their positions in it. */
export class AuditStreams1763700000097 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.audit_streams (
        tenant_id uuid not null,
        id uuid not null,
        version integer not null check (version > 0),
        name text not null check (length(name) between 1 and 200),
        kind text not null check (kind in ('https', 'splunk_hec', 's3')),
        url text not null,
        bucket text,
        region text,
        prefix text,
        credential_secret_id uuid not null,
        status text not null check (status in ('active', 'paused', 'failing')),
        created_at timestamptz(3) not null,
        created_by jsonb not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        check ((kind = 's3') = (bucket is not null and region is not null)),
        check (kind = 's3' or (bucket is null and region is null and prefix is null))
      )`);
    await tenantTable(runner, 'data.audit_streams', { grant: 'select, insert, update, delete' });
    await runner.query(`create index audit_streams_secret_idx on data.audit_streams (tenant_id, credential_secret_id)`);
    // seq: the last delivered entry. batch_to: the last entry of a batch that was begun, so that it is repeated as it
    // was. due_at: null while the stream is paused.
    await runner.query(`
      create table data.audit_stream_cursors (
        tenant_id uuid not null,
        stream_id uuid not null,
        seq bigint not null check (seq >= 0),
        batch_to bigint check (batch_to > seq),
        due_at timestamptz(3),
        leased_until timestamptz(3),
        lease_token uuid,
        failures integer not null default 0,
        delivered_at timestamptz(3),
        error text,
        primary key (tenant_id, stream_id),
        foreign key (tenant_id, stream_id) references data.audit_streams (tenant_id, id) on delete cascade,
        check ((leased_until is null) = (lease_token is null))
      )`);
    await systemTable(runner, 'data.audit_stream_cursors', {
      app: { grant: 'select, insert', updateColumns: ['due_at', 'failures'] },
      system: {
        grant: 'select',
        updateColumns: [
          'seq',
          'batch_to',
          'due_at',
          'leased_until',
          'lease_token',
          'failures',
          'delivered_at',
          'error',
        ],
      },
    });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
