import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';

/** Since when each master key is in use, for evidence. */
export class MasterKeyAges1763700000101 implements MigrationInterface {
  name = 'MasterKeyAges1763700000101';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function directory.master_keys_in_use()`);
    await runner.query(`
      create function directory.master_keys_in_use() returns table (id text, first_used_at timestamptz)
        language sql stable security definer set search_path = pg_catalog as $$
        select k.id, k.first_used_at from directory.master_keys k order by k.first_used_at $$`);
    await definerFunction(runner, 'directory.master_keys_in_use()');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
