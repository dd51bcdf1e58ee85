import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** What a tenant demands of sign-ins. It is read with each session, and a change raises the epoch of the tenant. */
export class Mfa1763700000061 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { lookup } = migrationRoles();
    await runner.query(`alter table directory.tenants add column mfa jsonb`);
    await runner.query(`grant update (mfa) on directory.tenants to ${lookup}`);
    await runner.query(`
      create function directory.mfa_policy() returns jsonb
        language sql stable security definer set search_path = pg_catalog as $$
        select t.mfa from directory.tenants t where t.id = current_setting('app.tenant_id')::uuid $$`);
    await runner.query(`
      create function directory.set_mfa_policy(policy jsonb) returns void
        language sql security definer set search_path = pg_catalog as $$
        update directory.tenants t set mfa = policy where t.id = current_setting('app.tenant_id')::uuid $$`);
    await runner.query(`
      create function directory.last_sign_ins()
        returns table (member_id uuid, methods text[], multi_factor_at timestamptz)
        language sql stable security definer set search_path = pg_catalog as $$
        select distinct on (s.member_id) s.member_id, s.methods, s.multi_factor_at from directory.sessions s
        where s.tenant_id = current_setting('app.tenant_id')::uuid
        order by s.member_id, s.created_at desc $$`);
    await runner.query(`drop function directory.session_state(text)`);
    await runner.query(`
      create function directory.session_state(key text)
        returns table (idle_seconds integer, multi_factor_at timestamptz, last_seen_at timestamptz, methods text[], mfa jsonb)
        language sql stable security definer set search_path = pg_catalog as $$
        select s.idle_seconds, s.multi_factor_at, coalesce(u.last_used_at, s.created_at), s.methods, t.mfa
        from directory.credentials c join directory.sessions s on s.credential_id = c.id
          left join directory.tenants t on t.id = c.tenant_id
          left join directory.credential_uses u on u.credential_id = c.id
        where c.key_id = key $$`);
    for (const definer of ['mfa_policy()', 'set_mfa_policy(jsonb)', 'last_sign_ins()', 'session_state(text)'])
      await definerFunction(runner, `directory.${definer}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
