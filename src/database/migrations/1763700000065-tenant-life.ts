import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** A tenant can be renamed, suspended for a time, and closed for good after a time in which that can be taken back. */
export class TenantLife1763700000065 implements MigrationInterface {
  name = 'TenantLife1763700000065';

  async up(runner: QueryRunner): Promise<void> {
    const { lookup, owner } = migrationRoles();
    await runner.query(`
      alter table directory.tenants
        add column suspended_at timestamptz(3),
        add column suspension_reason text check (length(suspension_reason) between 1 and 500),
        add column closes_at timestamptz(3),
        add column closed_at timestamptz(3),
        add column is_served boolean not null generated always as (suspended_at is null and closed_at is null) stored,
        add constraint tenants_suspension_check check (suspension_reason is null or suspended_at is not null),
        add constraint tenants_closing_check check (closed_at is null or closes_at is not null)`);
    await runner.query(
      `create index tenants_closing_idx on directory.tenants (closes_at) where closes_at is not null and closed_at is null`,
    );
    await runner.query(`drop trigger version on directory.tenants`);
    await runner.query(`
      create trigger version before update of name, plan, currency, reads_per_minute, writes_per_minute, suspended_at,
          suspension_reason, closes_at, closed_at
        on directory.tenants for each row execute function directory.bump_tenant_version()`);
    // The function belongs to the lookup role, which alone may replace it.
    await runner.query(`set local role ${lookup}`);
    await runner.query(`drop function directory.tenant_in_scope()`);
    await runner.query(`set local role ${owner}`);
    await runner.query(`
      create function directory.tenant_in_scope() returns table (id uuid, slug text, name text, plan text, currency text,
        reads_per_minute integer, writes_per_minute integer, suspended_at timestamptz, suspension_reason text,
        closes_at timestamptz, closed_at timestamptz, version integer, created_at timestamptz, updated_at timestamptz)
        language sql stable security definer set search_path = pg_catalog as $$
        select t.id, t.slug, t.name, t.plan, t.currency, t.reads_per_minute, t.writes_per_minute, t.suspended_at,
          t.suspension_reason, t.closes_at, t.closed_at, t.version, t.created_at, t.updated_at
        from directory.tenants t where t.id = current_setting('app.tenant_id')::uuid $$`);
    await runner.query(`
      create function directory.lock_tenant() returns void language plpgsql security definer
        set search_path = pg_catalog as $$
      begin
        perform from directory.tenants t where t.id = current_setting('app.tenant_id')::uuid for no key update;
      end $$`);
    await runner.query(`
      create function directory.change_tenant(new_name text, suspended timestamptz, why text, closes timestamptz)
        returns void language sql security definer set search_path = pg_catalog as $$
        update directory.tenants t
          set name = new_name, suspended_at = suspended, suspension_reason = why, closes_at = closes
          where t.id = current_setting('app.tenant_id')::uuid and t.closed_at is null $$`);
    // Nothing happens before the time that the tenant was told.
    await runner.query(`
      create function directory.close_tenant(at timestamptz) returns boolean language plpgsql security definer
        set search_path = pg_catalog as $$
      declare tenant uuid := current_setting('app.tenant_id')::uuid;
      begin
        update directory.tenants t set closed_at = at
          where t.id = tenant and t.closed_at is null and t.closes_at <= at;
        if not found then return false; end if;
        update directory.credentials c set revoked_at = at where c.tenant_id = tenant and c.revoked_at is null;
        delete from directory.open_invitations i where i.tenant_id = tenant;
        return true;
      end $$`);
    // How the tenant of a credential does: `open`, `suspended` or `closed`.
    await runner.query(`
      create function directory.service_of(key text) returns table (service text)
        language sql stable security definer set search_path = pg_catalog as $$
        select case when t.closed_at is not null then 'closed' when t.suspended_at is not null then 'suspended'
          else 'open' end
        from directory.credentials c join directory.tenants t on t.id = c.tenant_id where c.key_id = key $$`);
    await runner.query(
      `grant update (name, suspended_at, suspension_reason, closes_at, closed_at) on directory.tenants to ${lookup}`,
    );
    for (const definer of [
      'tenant_in_scope()',
      'lock_tenant()',
      'change_tenant(text, timestamptz, text, timestamptz)',
      'close_tenant(timestamptz)',
      'service_of(text)',
    ])
      await definerFunction(runner, `directory.${definer}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
