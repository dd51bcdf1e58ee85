import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/**
 * Where a token has led until its invitation was closed, for as long as answers under idempotency keys are told again. What is
 * older goes when the tenant closes the next one.
 */
export class ClosedInvitations1763700000056 implements MigrationInterface {
  name = 'ClosedInvitations1763700000056';

  async up(runner: QueryRunner): Promise<void> {
    const { lookup, owner } = migrationRoles();
    await runner.query(`
      create table directory.closed_invitations (
        tenant_id uuid not null references directory.tenants (id),
        invitation_id uuid not null,
        token_hash bytea not null constraint closed_invitations_token_key unique check (length(token_hash) = 32),
        closed_at timestamptz(3) not null,
        primary key (tenant_id, invitation_id)
      )`);
    await runner.query(`grant select, insert, delete on directory.closed_invitations to ${lookup}`);
    // The function belongs to the lookup role, which alone may replace it.
    await runner.query(`set local role ${lookup}`);
    await runner.query(`drop function directory.close_invitation(uuid)`);
    await runner.query(`set local role ${owner}`);
    await runner.query(`
      create function directory.close_invitation(invitation uuid) returns void
        language sql security definer set search_path = pg_catalog as $$
        delete from directory.closed_invitations
          where tenant_id = current_setting('app.tenant_id')::uuid and closed_at < now() - interval '10 minutes';
        with closed as (
          delete from directory.open_invitations
          where tenant_id = current_setting('app.tenant_id')::uuid and invitation_id = invitation
          returning tenant_id, invitation_id, token_hash)
        insert into directory.closed_invitations (tenant_id, invitation_id, token_hash, closed_at)
          select tenant_id, invitation_id, token_hash, now() from closed $$`);
    await runner.query(`
      create function directory.find_closed_invitation(hash bytea)
        returns table (invitation_id uuid, id uuid, slug text, name text, plan text, currency text, epoch bigint)
        language sql stable security definer set search_path = pg_catalog as $$
        select c.invitation_id, t.id, t.slug, t.name, t.plan, t.currency, t.epoch
        from directory.closed_invitations c join directory.tenants t on t.id = c.tenant_id
        where c.token_hash = hash and c.closed_at > now() - interval '10 minutes' $$`);
    for (const signature of ['close_invitation(uuid)', 'find_closed_invitation(bytea)'])
      await definerFunction(runner, `directory.${signature}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
