import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** How far the background work is behind, over all tenants, as measured by the workers. */
export class Status1763700000094 implements MigrationInterface {
  name = 'Status1763700000094';

  async up(runner: QueryRunner): Promise<void> {
    const { lookup, system } = migrationRoles();
    await runner.query(`
      create table directory.background_lags (
        singleton boolean primary key default true check (singleton),
        relay_seconds integer not null check (relay_seconds >= 0),
        sealing_seconds integer not null check (sealing_seconds >= 0),
        mail_seconds integer not null check (mail_seconds >= 0),
        measured_at timestamptz(3) not null
      )`);
    await runner.query(`grant select, insert, update on directory.background_lags to ${system}`);
    await runner.query(`
      create function directory.background_lag()
        returns table (relay_seconds integer, sealing_seconds integer, mail_seconds integer, measured_at timestamptz)
        language sql stable security definer set search_path = pg_catalog as $$
        select l.relay_seconds, l.sealing_seconds, l.mail_seconds, l.measured_at from directory.background_lags l $$`);
    await runner.query(`grant select on directory.background_lags to ${lookup}`);
    await definerFunction(runner, 'directory.background_lag()');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
