import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

/** Links that open one thing to whoever has them, and when an invoice was first seen by one. */
export class PublicLinks1763700000070 implements MigrationInterface {
  name = 'PublicLinks1763700000070';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.public_links (
        tenant_id uuid not null,
        id uuid not null,
        purpose text not null check (purpose in ('invoice')),
        target_object text not null check (length(target_object) between 1 and 60),
        target_id uuid not null,
        expires_at timestamptz(3) not null,
        max_uses integer check (max_uses between 1 and 1000000),
        uses integer not null default 0 check (uses >= 0 and uses <= max_uses),
        last_used_at timestamptz(3),
        revoked_at timestamptz(3),
        created_by jsonb not null,
        version integer not null default 1 check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id)
      )`);
    await tenantTable(runner, 'data.public_links', { grant: 'select, insert, update' });
    await runner.query(`create index public_links_time_idx on data.public_links (tenant_id, created_at desc, id desc)`);
    await runner.query(`
      create index public_links_target_idx on data.public_links (tenant_id, target_id, created_at desc, id desc)`);
    await tokens(runner);
    await runner.query(`alter table data.finance_invoices add column viewed_at timestamptz(3)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** What is stored of the tokens. Whoever presents one has no tenant yet. */
async function tokens(runner: QueryRunner): Promise<void> {
  const { lookup } = migrationRoles();
  await runner.query(`
    create table directory.public_link_tokens (
      token_hash bytea primary key check (length(token_hash) = 32),
      tenant_id uuid not null references directory.tenants (id),
      link_id uuid not null
    )`);
  await runner.query(`grant select, insert on directory.public_link_tokens to ${lookup}`);
  await runner.query(`
    create function directory.add_public_link(link uuid, hash bytea) returns void
      language sql security definer set search_path = pg_catalog as $$
      insert into directory.public_link_tokens (token_hash, tenant_id, link_id)
        values (hash, current_setting('app.tenant_id')::uuid, link) $$`);
  await runner.query(`
    create function directory.find_public_link(hash bytea)
      returns table (link_id uuid, id uuid, slug text, plan text, currency text, epoch bigint)
      language sql stable security definer set search_path = pg_catalog as $$
      select l.link_id, t.id, t.slug, t.plan, t.currency, t.epoch
      from directory.public_link_tokens l join directory.tenants t on t.id = l.tenant_id
      where l.token_hash = hash and t.is_served $$`);
  await definerFunction(runner, 'directory.add_public_link(uuid, bytea)');
  await definerFunction(runner, 'directory.find_public_link(bytea)');
}
