import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/**
 * Figures of the requests: `count` is what the limiter counted, `c429` what it refused; an answer is in one of the other
 * classes, and a counted request that was never answered in none. `latency` holds answers by the bounds of
 * LATENCY_BOUNDS_MS.
 */
const FIGURES = `
  count bigint not null check (count >= 0),
  c2xx bigint not null check (c2xx >= 0),
  c4xx bigint not null check (c4xx >= 0),
  c429 bigint not null check (c429 >= 0),
  c5xx bigint not null check (c5xx >= 0),
  latency bigint[] not null check (cardinality(latency) = 12),
  bytes_out bigint not null check (bytes_out >= 0),
  check (c2xx + c4xx + c5xx <= count)`;
const PLACE = `
  route text not null,
  method text not null,
  credential_kind text not null check (credential_kind in ('api_key', 'scim_token')),
  credential_id uuid not null`;

/** Request accounting: by minute, later by hour and by day, and the days of each class that usage is read from. */
export class Accounting1763700000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Each process has rows of its own and writes them a few times within a minute, hence room on the pages.
    await runner.query(`
      create table data.request_stats_minute (
        tenant_id uuid not null,
        minute timestamptz(3) not null,
        ${PLACE},
        process_id uuid not null,
        revision integer not null check (revision > 0),
        ${FIGURES},
        primary key (tenant_id, minute, route, method, credential_id, process_id)
      ) with (fillfactor = 70)`);
    await tenantTable(runner, 'data.request_stats_minute', { grant: 'select, insert, update, delete' });

    await runner.query(`
      create table data.request_stats_hour (
        tenant_id uuid not null,
        hour timestamptz(3) not null,
        ${PLACE},
        ${FIGURES},
        primary key (tenant_id, hour, route, method, credential_id)
      )`);
    await tenantTable(runner, 'data.request_stats_hour', { grant: 'select, insert, update, delete' });

    await runner.query(`
      create table data.request_stats_day (
        tenant_id uuid not null,
        date date not null,
        ${PLACE},
        ${FIGURES},
        primary key (tenant_id, date, route, method, credential_id)
      )`);
    await tenantTable(runner, 'data.request_stats_day', { grant: 'select, insert, update, delete' });

    await runner.query(`
      create table data.request_days (
        tenant_id uuid not null,
        date date not null,
        rate_class text not null check (rate_class in ('read', 'write')),
        process_id uuid not null,
        revision integer not null check (revision > 0),
        counted bigint not null check (counted >= 0),
        refused bigint not null check (refused >= 0),
        errors bigint not null check (errors >= 0),
        primary key (tenant_id, date, rate_class, process_id),
        check (errors <= counted)
      ) with (fillfactor = 50)`);
    await tenantTable(runner, 'data.request_days', { grant: 'select, insert, update' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
