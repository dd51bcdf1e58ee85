import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

const NO_LATENCY = `bigint[] not null default array_fill(0::bigint, array[12]) check (cardinality(good_latency) = 12)`;

/**
 * Which requests were good and which bad, and when the API was up. Requests from before this migration are in neither,
 * and the minutes before it are not covered.
 */
export class ValidEvents1763700000110 implements MigrationInterface {
  name = 'ValidEvents1763700000110';

  async up(runner: QueryRunner): Promise<void> {
    const { lookup } = migrationRoles();
    for (const table of ['request_stats_minute', 'request_stats_hour', 'request_stats_day'])
      await runner.query(`
        alter table data.${table}
          add column good bigint not null default 0 check (good >= 0),
          add column bad bigint not null default 0 check (bad >= 0),
          add column good_latency ${NO_LATENCY}`);
    // One row per process, as in request_stats_minute, so that writing twice counts once.
    await runner.query(`
      create table data.request_minutes (
        tenant_id uuid not null,
        minute timestamptz(3) not null,
        process_id uuid not null,
        revision integer not null check (revision > 0),
        good bigint not null check (good >= 0),
        bad bigint not null check (bad >= 0),
        good_latency ${NO_LATENCY},
        primary key (tenant_id, minute, process_id)
      ) with (fillfactor = 70)`);
    await tenantTable(runner, 'data.request_minutes', { grant: 'select, insert, update, delete' });
    await this.coverage(runner, lookup);
  }

  /** The times in which each API process ran, and the tenants that have called lately. Both belong to the installation. */
  private async coverage(runner: QueryRunner, lookup: string): Promise<void> {
    const { system } = migrationRoles();
    await runner.query(`
      create table directory.process_coverage (
        process_id uuid not null,
        from_at timestamptz(3) not null,
        to_at timestamptz(3) not null,
        primary key (process_id, from_at),
        check (from_at <= to_at)
      ) with (fillfactor = 50)`);
    await runner.query(`create index process_coverage_to_idx on directory.process_coverage (to_at)`);
    await runner.query(`
      create table directory.tenant_activity (
        tenant_id uuid primary key,
        seen_at timestamptz(3) not null
      ) with (fillfactor = 50)`);
    await runner.query(
      `grant select, insert, update on directory.process_coverage, directory.tenant_activity to ${lookup}`,
    );
    await runner.query(`grant select, delete on directory.process_coverage to ${system}`);
    await runner.query(`grant select on directory.tenant_activity to ${system}`);
    await runner.query(`
      create function directory.report_process(process uuid, since timestamptz, until timestamptz, tenants uuid[])
        returns void language plpgsql security definer set search_path = pg_catalog as $$
      begin
        insert into directory.process_coverage as c (process_id, from_at, to_at) values (process, since, until)
          on conflict (process_id, from_at) do update set to_at = greatest(c.to_at, excluded.to_at);
        insert into directory.tenant_activity as a (tenant_id, seen_at)
          select distinct tenant, until from unnest(tenants) tenant order by tenant
          on conflict (tenant_id) do update set seen_at = excluded.seen_at
            where a.seen_at < excluded.seen_at - interval '1 minute';
      end $$`);
    await runner.query(`
      create function directory.coverage(since timestamptz, until timestamptz)
        returns table (from_at timestamptz, to_at timestamptz)
        language sql stable security definer set search_path = pg_catalog as $$
        select c.from_at, c.to_at from directory.process_coverage c where c.to_at >= since and c.from_at < until
        order by c.from_at $$`);
    await definerFunction(runner, 'directory.report_process(uuid, timestamptz, timestamptz, uuid[])');
    await definerFunction(runner, 'directory.coverage(timestamptz, timestamptz)');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
