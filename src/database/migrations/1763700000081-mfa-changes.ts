import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';

/** Changes of what a tenant demands of sign-ins, one after the other. */
export class MfaChanges1763700000081 implements MigrationInterface {
  name = 'MfaChanges1763700000081';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function directory.lock_mfa_policy() returns jsonb
        language sql security definer set search_path = pg_catalog as $$
        select t.mfa from directory.tenants t where t.id = current_setting('app.tenant_id')::uuid for update $$`);
    await definerFunction(runner, 'directory.lock_mfa_policy()');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
