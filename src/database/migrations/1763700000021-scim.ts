import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';
import { membersAsUsers } from './1763700000021-scim-members.js';
import { scimTokens } from './1763700000021-scim-tokens.js';

/** Places in the order of a tenant's resources that one block counts; see {@link counting}. */
const BLOCK = 512;

/**
 * SCIM 2.0: configurations of identity providers, and users and groups as they see them. A SCIM user is a membership: it
 * has the same id, and every membership has one.
 */
export class Scim1763700000021 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await configurations(runner);
    await counting(runner);
    await users(runner);
    await groups(runner);
    await log(runner);
    await scimTokens(runner);
    await backfill(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** What was deleted keeps its row: users, groups and the log go on naming it. The id is the lineage of its tokens. */
async function configurations(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.scim_configs (
      tenant_id uuid not null,
      id uuid not null,
      name text not null check (length(name) between 1 and 200),
      status text not null check (status in ('active', 'disabled')),
      default_role_ids uuid[] not null default '{}',
      deprovision_action text not null default 'suspend' check (deprovision_action in ('suspend', 'deactivate')),
      allowed_domains text[] not null default '{}',
      token_last4 text not null check (length(token_last4) = 4),
      version integer not null default 1 check (version > 0),
      created_at timestamptz(3) not null,
      created_by jsonb not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3),
      primary key (tenant_id, id)
    )`);
  await tenantTable(runner, 'data.scim_configs', { grant: 'select, insert, update' });
  await runner.query(`
    create trigger epoch after update on data.scim_configs for each row execute function directory.bump_epoch()`);
  // A group is named as the provider will name it, so that a mapping can stand before its first push.
  await runner.query(`
    create table data.scim_mappings (
      tenant_id uuid not null,
      config_id uuid not null,
      group_key text collate "C" not null,
      group_name text not null check (length(group_name) between 1 and 200),
      position smallint not null,
      role_ids uuid[] not null,
      workspace_ids uuid[] not null,
      primary key (tenant_id, config_id, group_key),
      foreign key (tenant_id, config_id) references data.scim_configs (tenant_id, id)
    )`);
  await tenantTable(runner, 'data.scim_mappings', { grant: 'select, insert, update, delete' });
}

/**
 * Order and number of a tenant's users and groups. `seq` is dense but for what was deleted, and each block of it knows how
 * many are left, so that a page anywhere is found by adding up some hundred blocks and not by passing every row before it.
 */
async function counting(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.scim_sequences (
      tenant_id uuid not null,
      resource text not null check (resource in ('user', 'group')),
      last bigint not null,
      primary key (tenant_id, resource)
    )`);
  await tenantTable(runner, 'data.scim_sequences', { grant: 'select, insert, update' });
  await runner.query(`
    create table data.scim_blocks (
      tenant_id uuid not null,
      resource text not null check (resource in ('user', 'group')),
      block bigint not null,
      live integer not null check (live >= 0),
      primary key (tenant_id, resource, block) include (live)
    )`);
  await tenantTable(runner, 'data.scim_blocks', { grant: 'select, insert, update' });
  await runner.query(`
    create function data.number_scim_resource() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      insert into data.scim_sequences as s (tenant_id, resource, last) values (new.tenant_id, tg_argv[0], 1)
        on conflict (tenant_id, resource) do update set last = s.last + 1 returning last into new.seq;
      return new;
    end $$`);
  await runner.query(`
    create function data.count_scim_resource() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if tg_op = 'INSERT' then
        insert into data.scim_blocks as b (tenant_id, resource, block, live)
          values (new.tenant_id, tg_argv[0], new.seq / ${BLOCK}, 1)
          on conflict (tenant_id, resource, block) do update set live = b.live + 1;
      else
        update data.scim_blocks set live = live + case when new.deleted_at is null then 1 else -1 end
          where tenant_id = new.tenant_id and resource = tg_argv[0] and block = new.seq / ${BLOCK};
      end if;
      return null;
    end $$`);
}

async function ordered(runner: QueryRunner, table: string, resource: string): Promise<void> {
  await runner.query(`
    create trigger number before insert on ${table} for each row
      execute function data.number_scim_resource('${resource}')`);
  await runner.query(`
    create trigger count after insert on ${table} for each row when (new.deleted_at is null)
      execute function data.count_scim_resource('${resource}')`);
  await runner.query(`
    create trigger recount after update on ${table} for each row
      when ((old.deleted_at is null) <> (new.deleted_at is null))
      execute function data.count_scim_resource('${resource}')`);
}

/**
 * `data` is the resource without what stands in columns of its own (id, meta, groups); `keys` is the same as comparisons
 * see it. `config_id` null: no provider has written it yet, and it follows the membership.
 */
async function users(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.scim_users (
      tenant_id uuid not null,
      id uuid not null,
      config_id uuid,
      seq bigint not null,
      user_name_key text collate "C" not null,
      external_id text collate "C",
      display_name_key text collate "C",
      active boolean not null,
      data jsonb not null,
      keys jsonb not null,
      version integer not null default 1 check (version > 0),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3),
      primary key (tenant_id, id),
      foreign key (tenant_id, id) references data.memberships (tenant_id, id),
      foreign key (tenant_id, config_id) references data.scim_configs (tenant_id, id)
    )`);
  await indexes(runner, 'scim_users', ['external_id', 'display_name_key']);
  await runner.query(`create unique index scim_users_user_name_key on data.scim_users (tenant_id, user_name_key)
    where deleted_at is null`);
  await runner.query(`create index scim_users_config_idx on data.scim_users (tenant_id, config_id)`);
  await tenantTable(runner, 'data.scim_users', { grant: 'select, insert, update' });
  await ordered(runner, 'data.scim_users', 'user');
  await runner.query(`
    create table data.scim_user_emails (
      tenant_id uuid not null,
      user_id uuid not null,
      value_key text collate "C" not null,
      primary key (tenant_id, user_id, value_key),
      foreign key (tenant_id, user_id) references data.scim_users (tenant_id, id)
    )`);
  await runner.query(
    `create index scim_user_emails_value_idx on data.scim_user_emails (tenant_id, value_key, user_id)`,
  );
  await tenantTable(runner, 'data.scim_user_emails', { grant: 'select, insert, delete' });
  await runner.query(`
    create function data.keep_scim_emails() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if tg_op = 'UPDATE' then
        delete from data.scim_user_emails where tenant_id = new.tenant_id and user_id = new.id;
      end if;
      insert into data.scim_user_emails (tenant_id, user_id, value_key)
        select distinct new.tenant_id, new.id, e.value ->> 'value'
        from jsonb_array_elements(coalesce(new.keys -> 'emails', '[]')) e where e.value ? 'value';
      return null;
    end $$`);
  await runner.query(`
    create trigger emails after insert on data.scim_users for each row execute function data.keep_scim_emails()`);
  await runner.query(`
    create trigger emails_changed after update on data.scim_users for each row
      when (old.keys -> 'emails' is distinct from new.keys -> 'emails') execute function data.keep_scim_emails()`);
  await membersAsUsers(runner);
}

async function indexes(runner: QueryRunner, table: string, columns: string[]): Promise<void> {
  await runner.query(`create unique index ${table}_seq_key on data.${table} (tenant_id, seq) where deleted_at is null`);
  for (const column of columns)
    await runner.query(
      `create index ${table}_${column}_idx on data.${table} (tenant_id, ${column}) where deleted_at is null`,
    );
}

async function groups(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.scim_groups (
      tenant_id uuid not null,
      id uuid not null,
      config_id uuid not null,
      seq bigint not null,
      display_name text not null,
      display_name_key text collate "C" not null,
      external_id text collate "C",
      data jsonb not null,
      keys jsonb not null,
      version integer not null default 1 check (version > 0),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3),
      primary key (tenant_id, id),
      foreign key (tenant_id, config_id) references data.scim_configs (tenant_id, id)
    )`);
  await indexes(runner, 'scim_groups', ['external_id']);
  await runner.query(`create unique index scim_groups_display_name_key on data.scim_groups (tenant_id, display_name_key)
    where deleted_at is null`);
  await runner.query(
    `create index scim_groups_config_idx on data.scim_groups (tenant_id, config_id, display_name_key)`,
  );
  await tenantTable(runner, 'data.scim_groups', { grant: 'select, insert, update' });
  await ordered(runner, 'data.scim_groups', 'group');
  await runner.query(`
    create table data.scim_group_members (
      tenant_id uuid not null,
      group_id uuid not null,
      user_id uuid not null,
      primary key (tenant_id, group_id, user_id),
      foreign key (tenant_id, group_id) references data.scim_groups (tenant_id, id),
      foreign key (tenant_id, user_id) references data.scim_users (tenant_id, id)
    )`);
  await runner.query(
    `create index scim_group_members_user_idx on data.scim_group_members (tenant_id, user_id, group_id)`,
  );
  await tenantTable(runner, 'data.scim_group_members', { grant: 'select, insert, delete' });
}

/** Calls of providers, for who has to find out why one did not work. Only the newest are kept. */
async function log(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.scim_log (
      tenant_id uuid not null,
      id uuid not null,
      config_id uuid not null,
      at timestamptz(3) not null,
      method text not null,
      path text not null,
      status smallint not null,
      subject text,
      error text,
      request_id text not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, config_id) references data.scim_configs (tenant_id, id)
    )`);
  await runner.query(`create index scim_log_config_idx on data.scim_log (tenant_id, config_id, id desc)`);
  await tenantTable(runner, 'data.scim_log', { grant: 'select, insert, delete' });
}

/** A configuration for each token that there is already, and a user for each member. */
async function backfill(runner: QueryRunner): Promise<void> {
  const tables = ['memberships', 'scim_configs', 'scim_users', 'scim_user_emails', 'scim_sequences', 'scim_blocks'];
  for (const table of tables) await runner.query(`alter table data.${table} no force row level security`);
  await runner.query(`
    insert into data.scim_configs (tenant_id, id, name, status, token_last4, created_at, created_by, updated_at)
    select distinct on (tenant_id, lineage_id) tenant_id, lineage_id, name, 'active', right(key_id, 4), created_at,
      '{"type": "system", "id": null, "name": "migration"}'::jsonb, created_at
    from directory.credentials where kind = 'scim_token' order by tenant_id, lineage_id, created_at`);
  await runner.query(`
    insert into data.scim_users (tenant_id, id, user_name_key, display_name_key, active, data, keys, created_at, updated_at,
      deleted_at)
    select tenant_id, id, data.scim_fold(email), data.scim_fold(name), status = 'active',
      data.scim_resource(email, email, name),
      data.scim_resource(data.scim_fold(email), data.scim_fold(email), data.scim_fold(name)), created_at, updated_at,
      deleted_at
    from data.memberships order by tenant_id, created_at, id`);
  for (const table of tables) await runner.query(`alter table data.${table} force row level security`);
}
