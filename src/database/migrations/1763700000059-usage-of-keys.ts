import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/**
 * Usage in full. Figures tell replays, those of days server errors too; and each key has a row for every day and route, with the
 * permissions that it needed there. `key_id` is the lineage of a key; sessions are added up under the nil UUID.
 */
export class UsageOfKeys1763700000059 implements MigrationInterface {
  name = 'UsageOfKeys1763700000059';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.request_days
        add column server_errors bigint not null default 0 check (server_errors >= 0),
        add column replays bigint not null default 0 check (replays >= 0)`);
    for (const table of ['request_stats_minute', 'request_stats_hour', 'request_stats_day'])
      await runner.query(`alter table data.${table} add column replays bigint not null default 0 check (replays >= 0)`);
    // As for minutes: each process writes rows of its own several times, hence room on the pages.
    await runner.query(`
      create table data.request_key_days (
        tenant_id uuid not null,
        key_id uuid not null,
        date date not null,
        route text not null,
        method text not null,
        process_id uuid not null,
        revision integer not null check (revision > 0),
        counted bigint not null check (counted >= 0),
        refused bigint not null check (refused >= 0),
        c4xx bigint not null check (c4xx >= 0),
        c5xx bigint not null check (c5xx >= 0),
        replays bigint not null check (replays >= 0),
        permissions text[] not null,
        primary key (tenant_id, key_id, date, route, method, process_id)
      ) with (fillfactor = 60)`);
    await runner.query(`create index request_key_days_date_idx on data.request_key_days (tenant_id, date)`);
    await tenantTable(runner, 'data.request_key_days', { grant: 'select, insert, update, delete' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
