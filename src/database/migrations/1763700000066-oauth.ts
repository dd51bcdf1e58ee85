import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

const OWN = `tenant_id = current_setting('app.tenant_id')::uuid`;

/** Delegated access for partners: their clients, what people have granted them, and the tokens of that. ADR 0045. */
export class Oauth1763700000066 implements MigrationInterface {
  name = 'Oauth1763700000066';

  async up(runner: QueryRunner): Promise<void> {
    await kinds(runner);
    await clients(runner);
    await grants(runner);
    await issuing(runner);
    await lookUps(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** An access token is a credential of a member that expires. The lineage is the grant. */
async function kinds(runner: QueryRunner): Promise<void> {
  await runner.query(`
    alter table directory.credentials
      drop constraint credentials_kind_check,
      add constraint credentials_kind_check check (kind in ('api_key', 'scim_token', 'session', 'oauth_token')),
      add constraint credentials_oauth_check
        check (kind <> 'oauth_token' or member_id is not null and expires_at is not null and not allow_protected)`);
  for (const table of ['request_stats_minute', 'request_stats_hour', 'request_stats_day'])
    await runner.query(`
      alter table data.${table}
        drop constraint ${table}_credential_kind_check,
        add constraint ${table}_credential_kind_check
          check (credential_kind in ('api_key', 'session', 'scim_token', 'oauth_token'))`);
  // Access tokens are deleted when they have long expired, which nobody has to be told.
  await runner.query(`drop trigger epoch on directory.credentials`);
  await runner.query(`
    create trigger epoch after update on directory.credentials
      for each row execute function directory.bump_epoch()`);
  await runner.query(`
    create trigger epoch_delete after delete on directory.credentials
      for each row when (old.kind <> 'oauth_token') execute function directory.bump_epoch()`);
}

/** Partners. They belong to no tenant, and the operator registers them. */
async function clients(runner: QueryRunner): Promise<void> {
  const { system, lookup } = migrationRoles();
  await runner.query(`
    create table directory.oauth_clients (
      id uuid primary key,
      name text not null check (length(name) between 1 and 80),
      redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
      allowed_scopes text[] not null check (cardinality(allowed_scopes) > 0),
      secret_hash bytea check (length(secret_hash) = 32),
      suspended_at timestamptz(3),
      created_at timestamptz(3) not null
    )`);
  await runner.query(`
    create table directory.oauth_grants (
      id uuid primary key,
      tenant_id uuid not null references directory.tenants (id),
      client_id uuid not null references directory.oauth_clients (id),
      methods text[] not null,
      multi_factor_at timestamptz(3),
      exchanged_at timestamptz(3)
    )`);
  await runner.query(`create index oauth_grants_tenant_idx on directory.oauth_grants (tenant_id)`);
  await runner.query(`create index oauth_grants_client_idx on directory.oauth_grants (client_id, tenant_id)`);
  // Codes and refresh tokens.
  await runner.query(`
    create table directory.oauth_tokens (
      id uuid primary key,
      grant_id uuid not null references directory.oauth_grants (id),
      kind text not null check (kind in ('code', 'refresh')),
      token_hash bytea not null constraint oauth_tokens_hash_key unique check (length(token_hash) = 32),
      challenge text,
      redirect_uri text,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      constraint oauth_tokens_code_check
        check ((kind = 'code') = (challenge is not null) and (kind = 'code') = (redirect_uri is not null))
    )`);
  await runner.query(`create index oauth_tokens_grant_idx on directory.oauth_tokens (grant_id)`);
  await runner.query(`create index oauth_tokens_expiry_idx on directory.oauth_tokens (expires_at)`);
  await runner.query(
    `create index credentials_oauth_idx on directory.credentials (expires_at) where kind = 'oauth_token'`,
  );
  // Whether a client is suspended is remembered with each of its tokens, in whatever tenant.
  await runner.query(`
    create function directory.bump_epochs_of_client() returns trigger language plpgsql security definer
      set search_path = pg_catalog as $$
    begin
      update directory.tenants t set epoch = t.epoch + 1
        where t.id in (select g.tenant_id from directory.oauth_grants g where g.client_id = new.id);
      return null;
    end $$`);
  await runner.query(`
    create trigger epochs after update on directory.oauth_clients
      for each row execute function directory.bump_epochs_of_client()`);
  await definerFunction(runner, 'directory.bump_epochs_of_client()');
  await runner.query(`grant select on directory.oauth_clients to ${lookup}`);
  await runner.query(`grant select, insert, update on directory.oauth_grants to ${lookup}`);
  await runner.query(`grant select, insert, update, delete on directory.oauth_tokens to ${lookup}`);
  await runner.query(`grant select, insert, update on directory.oauth_clients to ${system}`);
}

/** What a tenant knows of a grant. */
async function grants(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.oauth_grants (
      tenant_id uuid not null,
      id uuid not null,
      client_id uuid not null,
      client_name text not null check (length(client_name) between 1 and 80),
      membership_id uuid not null,
      scopes text[] not null check (cardinality(scopes) > 0),
      revoked_at timestamptz(3),
      version integer not null default 1 check (version > 0),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, membership_id) references data.memberships (tenant_id, id)
    )`);
  await runner.query(`create index oauth_grants_member_idx on data.oauth_grants (tenant_id, membership_id)`);
  await tenantTable(runner, 'data.oauth_grants', { grant: 'select, insert, update' });
}

/** All of them are about the tenant in context. */
async function issuing(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function directory.open_oauth_grant(new_grant uuid, client uuid, factors text[], second_factor timestamptz,
        code uuid, hash bytea, code_challenge text, redirect text, until timestamptz) returns void
      language sql security definer set search_path = pg_catalog as $$
      insert into directory.oauth_grants (id, tenant_id, client_id, methods, multi_factor_at)
        values (new_grant, current_setting('app.tenant_id')::uuid, client, factors, second_factor);
      insert into directory.oauth_tokens (id, grant_id, kind, token_hash, challenge, redirect_uri, expires_at)
        values (code, new_grant, 'code', hash, code_challenge, redirect, until) $$`);
  // Whoever comes second waits for the first, and finds the token used if that one commits.
  await runner.query(`
    create function directory.use_oauth_token(token uuid, at timestamptz) returns boolean
      language plpgsql security definer set search_path = pg_catalog as $$
    begin
      update directory.oauth_tokens t set used_at = at from directory.oauth_grants g
        where t.id = token and t.used_at is null and g.id = t.grant_id and g.${OWN};
      return found;
    end $$`);
  await runner.query(`
    create function directory.issue_oauth_tokens(of_grant uuid, label text, permitted text[], member uuid, access uuid,
        key text, secret bytea, access_until timestamptz, refresh uuid, hash bytea, refresh_until timestamptz,
        at timestamptz) returns void language sql security definer set search_path = pg_catalog as $$
      update directory.oauth_grants g set exchanged_at = at where g.id = of_grant and g.${OWN};
      insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
          allow_protected, allowed_cidrs, created_at, expires_at, member_id)
        select access, g.tenant_id, 'oauth_token', key, of_grant, label, secret, permitted, false, array[]::text[], at,
          access_until, member from directory.oauth_grants g where g.id = of_grant and g.${OWN};
      insert into directory.oauth_tokens (id, grant_id, kind, token_hash, expires_at)
        select refresh, of_grant, 'refresh', hash, refresh_until
          from directory.oauth_grants g where g.id = of_grant and g.${OWN} $$`);
  await runner.query(`
    create function directory.end_oauth_grants(ended uuid[], at timestamptz) returns void
      language sql security definer set search_path = pg_catalog as $$
      update directory.credentials c set revoked_at = at
        where c.${OWN} and c.kind = 'oauth_token' and c.lineage_id = any(ended) and c.revoked_at is null $$`);
  await runner.query(`
    create function directory.grant_states(wanted uuid[])
      returns table (id uuid, suspended boolean, expires_at timestamptz, last_used_at timestamptz)
      language sql stable security definer set search_path = pg_catalog as $$
      select g.id, c.suspended_at is not null,
        (select max(t.expires_at) from directory.oauth_tokens t where t.grant_id = g.id and t.used_at is null),
        greatest(g.exchanged_at, (select max(u.last_used_at) from directory.credentials k
          join directory.credential_uses u on u.credential_id = k.id
          where k.tenant_id = g.tenant_id and k.lineage_id = g.id))
      from directory.oauth_grants g join directory.oauth_clients c on c.id = g.client_id
      where g.${OWN} and g.id = any(wanted) $$`);
  for (const definer of [
    'open_oauth_grant(uuid, uuid, text[], timestamptz, uuid, bytea, text, text, timestamptz)',
    'use_oauth_token(uuid, timestamptz)',
    'issue_oauth_tokens(uuid, text, text[], uuid, uuid, text, bytea, timestamptz, uuid, bytea, timestamptz, timestamptz)',
    'end_oauth_grants(uuid[], timestamptz)',
    'grant_states(uuid[])',
  ])
    await definerFunction(runner, `directory.${definer}`);
}

/** What leads from a client, code or token to what is known of it, before there is a tenant; and the removal of old ones. */
async function lookUps(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function directory.find_oauth_client(wanted uuid) returns table (id uuid, name text, redirect_uris text[],
        allowed_scopes text[], secret_hash bytea, suspended_at timestamptz, created_at timestamptz)
      language sql stable security definer set search_path = pg_catalog as $$
      select c.id, c.name, c.redirect_uris, c.allowed_scopes, c.secret_hash, c.suspended_at, c.created_at
      from directory.oauth_clients c where c.id = wanted $$`);
  await runner.query(`
    create function directory.find_oauth_token(hash bytea) returns table (token_id uuid, kind text, grant_id uuid,
        client_id uuid, challenge text, redirect_uri text, expires_at timestamptz, used_at timestamptz, id uuid,
        slug text, plan text, currency text, epoch bigint)
      language sql stable security definer set search_path = pg_catalog as $$
      select k.id, k.kind, g.id, g.client_id, k.challenge, k.redirect_uri, k.expires_at, k.used_at,
        t.id, t.slug, t.plan, t.currency, t.epoch
      from directory.oauth_tokens k join directory.oauth_grants g on g.id = k.grant_id
        join directory.tenants t on t.id = g.tenant_id
      where k.token_hash = hash $$`);
  await runner.query(`
    create function directory.delegation_of(key text) returns table (grant_id uuid, client_id uuid, client_name text,
        suspended boolean, methods text[], multi_factor_at timestamptz, mfa jsonb, issued_at timestamptz)
      language sql stable security definer set search_path = pg_catalog as $$
      select g.id, o.id, o.name, o.suspended_at is not null, g.methods, g.multi_factor_at, t.mfa, c.created_at
      from directory.credentials c join directory.oauth_grants g on g.id = c.lineage_id
        join directory.oauth_clients o on o.id = g.client_id join directory.tenants t on t.id = c.tenant_id
      where c.key_id = key and c.kind = 'oauth_token' $$`);
  await runner.query(`
    create function directory.forget_oauth_tokens(expired_before timestamptz, at_most integer) returns integer
      language sql security definer set search_path = pg_catalog as $$
      with tokens as (
        delete from directory.oauth_tokens where id in (
          select t.id from directory.oauth_tokens t where t.expires_at < expired_before
          order by t.expires_at limit at_most) returning 1),
      credentials as (
        delete from directory.credentials where id in (
          select c.id from directory.credentials c where c.kind = 'oauth_token' and c.expires_at < expired_before
          order by c.expires_at limit at_most) returning 1)
      select greatest((select count(*) from tokens), (select count(*) from credentials))::integer $$`);
  for (const definer of [
    'find_oauth_client(uuid)',
    'find_oauth_token(bytea)',
    'delegation_of(text)',
    'forget_oauth_tokens(timestamptz, integer)',
  ])
    await definerFunction(runner, `directory.${definer}`);
}
