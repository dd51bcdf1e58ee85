import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** The keys that sign what the platform proves. ADR 0046. */
export class SigningKeys1763700000086 implements MigrationInterface {
  name = 'SigningKeys1763700000086';

  async up(runner: QueryRunner): Promise<void> {
    const { system, lookup } = migrationRoles();
    await runner.query(`
      create table directory.signing_keys (
        kid text primary key,
        public_key bytea not null check (length(public_key) = 32),
        sealed_private_key bytea not null,
        not_before timestamptz(3) not null default now(),
        not_after timestamptz(3)
      )`);
    await runner.query(
      `create unique index signing_keys_active_idx on directory.signing_keys ((not_after is null)) where not_after is null`,
    );
    await runner.query(`
      create function directory.read_signing_keys() returns table (kid text, public_key bytea, sealed_private_key bytea,
        not_before timestamptz, not_after timestamptz)
        language sql stable security definer set search_path = pg_catalog as $$
        select k.kid, k.public_key, k.sealed_private_key, k.not_before, k.not_after from directory.signing_keys k
        order by k.not_before, k.not_after nulls last $$`);
    await runner.query(`grant select on directory.signing_keys to ${lookup}`);
    await runner.query(`grant select, insert, update on directory.signing_keys to ${system}`);
    await definerFunction(runner, 'directory.read_signing_keys()');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
