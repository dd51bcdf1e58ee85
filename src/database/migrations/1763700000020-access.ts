import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

/** Of the system roles that members who are there already get; libs/auth/roles.ts has all of them. */
const OWNER = '00000000-0000-7000-8000-000000000001';
const ADMIN = '00000000-0000-7000-8000-000000000002';

/**
 * Who may do what: memberships with a life of their own, roles and who has them, workspaces and their members, exceptions
 * for single records. ADR 0020.
 */
export class Access1763700000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Rows are changed by the owner, who otherwise sees none without a tenant.
    const tables = ['data.memberships', 'data.workspaces'];
    for (const table of tables) await runner.query(`alter table ${table} no force row level security`);
    await epochs(runner);
    await memberships(runner);
    await roles(runner);
    await workspaces(runner);
    await resourceGrants(runner);
    for (const table of tables) await runner.query(`alter table ${table} force row level security`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** What raises the epoch of each tenant that a statement touched, once for all its rows. */
async function epochs(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function directory.raise_epoch(tenant uuid) returns void language sql security definer
      set search_path = pg_catalog as $$
      update directory.tenants set epoch = epoch + 1
        where id = tenant
          and id = coalesce(nullif(current_setting('app.tenant_id', true), '')::uuid, tenant) $$`); // none is set for the operator
  await definerFunction(runner, 'directory.raise_epoch(uuid)');
  await runner.query(`
    create function data.raise_epochs() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      perform directory.raise_epoch(c.tenant_id) from (select distinct tenant_id from changed) c;
      return null;
    end $$`);
  // What a membership that the same transaction has made is given, nobody can have remembered otherwise.
  await runner.query(`
    create function data.raise_epochs_of_members() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      perform directory.raise_epoch(c.tenant_id) from (
        select distinct c.tenant_id from changed c
          join data.memberships m on m.tenant_id = c.tenant_id and m.id = c.membership_id
        where m.version > 1 or m.xmin <> pg_current_xact_id()::xid) c;
      return null;
    end $$`);
}

async function raisesEpoch(runner: QueryRunner, table: string, onInsert = 'raise_epochs'): Promise<void> {
  for (const [event, rows, does] of [
    ['insert', 'new', onInsert],
    ['update', 'new', 'raise_epochs'],
    ['delete', 'old', 'raise_epochs'],
  ])
    await runner.query(`
      create trigger epoch_${event} after ${event} on ${table} referencing ${rows} table as changed
        for each statement execute function data.${does}()`);
}

async function memberships(runner: QueryRunner): Promise<void> {
  // `user_id` is the person over all tenants, known once they have signed in.
  await runner.query(`
    alter table data.memberships
      add column user_id uuid,
      add column title text check (length(title) between 1 and 200),
      add column source text not null default 'bootstrap'
        check (source in ('invite', 'scim', 'sso', 'talent_mapping', 'bootstrap')),
      add column version integer not null default 1 check (version > 0),
      add column session_epoch integer not null default 1 check (session_epoch > 0),
      add column joined_at timestamptz(3),
      add column last_active_at timestamptz(3),
      add column updated_at timestamptz(3) not null default now(),
      add column deleted_at timestamptz(3)`);
  await runner.query(`update data.memberships set updated_at = created_at,
    joined_at = case when status <> 'invited' then created_at end`);
  await runner.query(`alter table data.memberships drop constraint memberships_email_key`);
  const unique = { email: 'email_lower', user: 'user_id' };
  for (const [name, column] of Object.entries(unique))
    await runner.query(
      `create unique index memberships_${name}_key on data.memberships (tenant_id, ${column}) where deleted_at is null`,
    );
  const sorts = { created: 'created_at desc', name: 'name', joined: 'joined_at', active: 'last_active_at' };
  for (const [name, column] of Object.entries(sorts))
    await runner.query(
      `create index memberships_${name}_idx on data.memberships (tenant_id, ${column}, id) where deleted_at is null`,
    );
  await runner.query(`
    create function data.check_membership_version() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if new.version <= old.version then
        raise exception 'a change of a membership raises its version' using errcode = '23514';
      end if;
      return new;
    end $$`);
  await runner.query(`
    create trigger version before update on data.memberships for each row
      when (old.last_active_at is not distinct from new.last_active_at)
      execute function data.check_membership_version()`);
  await runner.query(`
    create trigger epoch after update on data.memberships for each row
      when (old.status is distinct from new.status or old.deleted_at is distinct from new.deleted_at)
      execute function directory.bump_epoch()`);
}

async function roles(runner: QueryRunner): Promise<void> {
  // System roles are no rows: they are the same in all tenants and stand in code.
  await runner.query(`
    create table data.roles (
      tenant_id uuid not null,
      id uuid not null,
      key text not null check (key ~ '^[a-z][a-z0-9_]{0,59}$'),
      name text not null check (length(name) between 1 and 200),
      description text check (length(description) <= 1000),
      permissions text[] not null,
      version integer not null default 1 check (version > 0),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint roles_key_key unique (tenant_id, key)
    )`);
  await runner.query(`create unique index roles_name_key on data.roles (tenant_id, lower(name))`);
  await tenantTable(runner, 'data.roles', { grant: 'select, insert, update, delete' });
  await raisesEpoch(runner, 'data.roles');
  // Several sources may give one role, and each takes back only what it gave. `source` is manual, or who gave it.
  await runner.query(`
    create table data.role_assignments (
      tenant_id uuid not null,
      membership_id uuid not null,
      role_id uuid not null,
      source text not null default 'manual' check (source ~ '^(manual|scim:.{1,200})$'),
      granted_at timestamptz(3) not null,
      primary key (tenant_id, membership_id, role_id, source),
      foreign key (tenant_id, membership_id) references data.memberships (tenant_id, id)
    )`);
  await runner.query(
    `create index role_assignments_role_idx on data.role_assignments (tenant_id, role_id, membership_id)`,
  );
  await runner.query(`create index role_assignments_source_idx on data.role_assignments (tenant_id, source)`);
  await runner.query(`
    insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at)
    select m.tenant_id, m.id, case when lower(t.owner_email) = m.email_lower then '${OWNER}' else '${ADMIN}' end::uuid,
      m.created_at
    from data.memberships m join directory.tenants t on t.id = m.tenant_id`);
  await tenantTable(runner, 'data.role_assignments', { grant: 'select, insert, delete' });
  await raisesEpoch(runner, 'data.role_assignments', 'raise_epochs_of_members');
}

async function workspaces(runner: QueryRunner): Promise<void> {
  await runner.query(`
    alter table data.workspaces
      add column key text check (key ~ '^[A-Z][A-Z0-9]{0,9}$'),
      add column description text check (length(description) <= 1000),
      add column parent_id uuid check (parent_id <> id),
      add column lead_id uuid,
      add column visibility text not null default 'open' check (visibility in ('open', 'closed')),
      add column default_role_ids uuid[] not null default '{}',
      add column is_default boolean not null default false,
      add column version integer not null default 1 check (version > 0),
      add column updated_at timestamptz(3) not null default now(),
      add column archived_at timestamptz(3),
      add foreign key (tenant_id, parent_id) references data.workspaces (tenant_id, id),
      add foreign key (tenant_id, lead_id) references data.memberships (tenant_id, id)`);
  await runner.query(`update data.workspaces set updated_at = created_at`);
  await runner.query(`create unique index workspaces_key_key on data.workspaces (tenant_id, key)`);
  await runner.query(`create unique index workspaces_default_key on data.workspaces (tenant_id) where is_default`);
  await runner.query(`create index workspaces_parent_idx on data.workspaces (tenant_id, parent_id)`);
  await runner.query(`
    create table data.workspace_members (
      tenant_id uuid not null,
      workspace_id uuid not null,
      membership_id uuid not null,
      workspace_role text not null check (workspace_role in ('lead', 'member', 'guest')),
      source text not null default 'manual' check (source ~ '^(manual|scim:.{1,200})$'),
      added_at timestamptz(3) not null,
      added_by jsonb not null,
      primary key (tenant_id, workspace_id, membership_id, source),
      foreign key (tenant_id, workspace_id) references data.workspaces (tenant_id, id),
      foreign key (tenant_id, membership_id) references data.memberships (tenant_id, id)
    )`);
  await runner.query(
    `create index workspace_members_member_idx on data.workspace_members (tenant_id, membership_id, workspace_id)`,
  );
  await runner.query(`create index workspace_members_source_idx on data.workspace_members (tenant_id, source)`);
  // Records that name no workspace count as those of the default one, so each tenant has one and all members are in it.
  await runner.query(`
    insert into data.workspaces (tenant_id, id, name, key, is_default, created_at, updated_at)
    select id, gen_random_uuid(), 'General', 'GENERAL', true, now(), now() from directory.tenants`);
  await runner.query(`
    insert into data.workspace_members (tenant_id, workspace_id, membership_id, workspace_role, added_at, added_by)
    select m.tenant_id, w.id, m.id, 'member', now(), '{"type": "system", "id": null, "name": "migration"}'
    from data.memberships m join data.workspaces w on w.tenant_id = m.tenant_id and w.is_default`);
  await tenantTable(runner, 'data.workspace_members', { grant: 'select, insert, update, delete' });
  await raisesEpoch(runner, 'data.workspaces');
  await raisesEpoch(runner, 'data.workspace_members', 'raise_epochs_of_members');
}

async function resourceGrants(runner: QueryRunner): Promise<void> {
  // `object_id` null: all records of the type in the workspace. Levels in order: who may edit may view.
  await runner.query(`
    create table data.resource_grants (
      tenant_id uuid not null,
      id uuid not null,
      object text not null,
      object_id uuid,
      workspace_id uuid,
      principal_type text not null check (principal_type in ('membership', 'role', 'workspace', 'api_key', 'agent')),
      principal_id uuid not null,
      level text not null check (level in ('view', 'comment', 'edit', 'manage')),
      rank smallint not null generated always as (array_position(array['view', 'comment', 'edit', 'manage'], level)) stored,
      effect text not null check (effect in ('allow', 'deny')),
      expires_at timestamptz(3),
      reason text check (length(reason) <= 1000),
      granted_by jsonb not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint resource_grants_target_key unique nulls not distinct
        (tenant_id, object, object_id, workspace_id, principal_type, principal_id),
      foreign key (tenant_id, workspace_id) references data.workspaces (tenant_id, id),
      check ((object_id is null) = (workspace_id is not null))
    )`);
  await runner.query(
    `create index resource_grants_principal_idx on data.resource_grants (tenant_id, principal_id, object)`,
  );
  await tenantTable(runner, 'data.resource_grants', { grant: 'select, insert, update, delete' });
  await raisesEpoch(runner, 'data.resource_grants');
  const { app, system } = migrationRoles();
  await runner.query(`
    create function data.expect_permission(permission text, reached boolean) returns boolean
      language plpgsql set search_path = pg_catalog as $$
    begin
      if not reached then
        raise exception '%', permission using errcode = 'TOP10';
      end if;
      return true;
    end $$`);
  await runner.query(`grant execute on function data.expect_permission(text, boolean) to ${app}, ${system}`);
  // Exceptions for keys are for those that act for nobody; others have what their member has.
  await runner.query(`
    create function directory.is_service_key(wanted uuid) returns boolean language sql stable security definer
      set search_path = pg_catalog as $$
      select exists (select 1 from directory.credentials
        where tenant_id = current_setting('app.tenant_id')::uuid and wanted in (id, lineage_id)
          and kind = 'api_key' and member_id is null and revoked_at is null) $$`);
  await definerFunction(runner, 'directory.is_service_key(uuid)');
}
