import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

const OWN = `tenant_id = current_setting('app.tenant_id')::uuid`;

/** API keys can have rate limits of their own, which hold for all secrets of a key. */
export class LimitsOfKeys1763700000241 implements MigrationInterface {
  name = 'LimitsOfKeys1763700000241';

  async up(runner: QueryRunner): Promise<void> {
    const { lookup } = migrationRoles();
    await runner.query(`
      create table directory.api_key_limits (
        tenant_id uuid not null references directory.tenants (id) on delete cascade,
        lineage_id uuid not null,
        reads_per_minute integer check (reads_per_minute > 0),
        writes_per_minute integer check (writes_per_minute > 0),
        primary key (tenant_id, lineage_id)
      )`);
    await runner.query(`grant select, insert, update on directory.api_key_limits to ${lookup}`);
    // Every process that has cached the key must read it again.
    await runner.query(`
      create trigger epoch after insert or update on directory.api_key_limits
        for each row execute function directory.bump_epoch()`);
    await runner.query(`
      create function directory.limit_api_key(lineage uuid, reads integer, writes integer) returns void
        language sql security definer set search_path = pg_catalog as $$
        insert into directory.api_key_limits (tenant_id, lineage_id, reads_per_minute, writes_per_minute)
          values (current_setting('app.tenant_id')::uuid, lineage, reads, writes)
          on conflict (tenant_id, lineage_id) do update
            set reads_per_minute = excluded.reads_per_minute, writes_per_minute = excluded.writes_per_minute $$`);
    await runner.query(`
      create function directory.api_key_limits(wanted uuid)
        returns table (id uuid, reads_per_minute integer, writes_per_minute integer)
        language sql stable security definer set search_path = pg_catalog as $$
        select lineage_id, l.reads_per_minute, l.writes_per_minute from directory.api_key_limits l
          where l.${OWN} and (wanted is null or l.lineage_id = wanted) $$`);
    await runner.query(`
      create function directory.limits_of_key(wanted text)
        returns table (reads_per_minute integer, writes_per_minute integer)
        language sql stable security definer set search_path = pg_catalog as $$
        select l.reads_per_minute, l.writes_per_minute from directory.credentials c
          join directory.api_key_limits l on l.tenant_id = c.tenant_id and l.lineage_id = c.lineage_id
          where c.key_id = wanted $$`);
    await definerFunction(runner, 'directory.limit_api_key(uuid, integer, integer)');
    await definerFunction(runner, 'directory.api_key_limits(uuid)');
    await definerFunction(runner, 'directory.limits_of_key(text)');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
