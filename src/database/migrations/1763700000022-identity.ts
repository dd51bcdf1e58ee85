import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles, systemTable, tenantTable } from '#libs/database/tenant-table.js';

/** Who people are: those whom the identity provider knows, their sessions, invitations and the mails to send. ADR 0021. */
export class Identity1763700000022 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await people(runner);
    await sessions(runner);
    await sessionFunctions(runner);
    await invitations(runner);
    await openInvitations(runner);
    await mails(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** People over all tenants, the ID tokens that have been used, and tenants by slug, for who signs in. */
async function people(runner: QueryRunner): Promise<void> {
  const { system, lookup } = migrationRoles();
  await runner.query(`
    create table directory.users (
      id uuid primary key,
      issuer text not null check (length(issuer) between 1 and 2048),
      subject text not null check (length(subject) between 1 and 255),
      email text check (length(email) between 3 and 254),
      name text check (length(name) between 1 and 200),
      created_at timestamptz(3) not null,
      last_sign_in_at timestamptz(3) not null,
      constraint users_subject_key unique (issuer, subject)
    )`);
  await runner.query(`
    create table directory.used_id_tokens (
      token_hash bytea primary key check (length(token_hash) = 32),
      expires_at timestamptz(3) not null
    )`);
  await runner.query(`create index used_id_tokens_expiry_idx on directory.used_id_tokens (expires_at)`);
  await runner.query(`
    create function directory.find_tenant(wanted text)
      returns table (id uuid, slug text, name text, plan text, currency text, epoch bigint)
      language sql stable security definer set search_path = pg_catalog as $$
      select t.id, t.slug, t.name, t.plan, t.currency, t.epoch from directory.tenants t where t.slug = wanted $$`);
  await runner.query(`
    create function directory.find_user(wanted_issuer text, wanted_subject text) returns table (id uuid)
      language sql stable security definer set search_path = pg_catalog as $$
      select u.id from directory.users u where u.issuer = wanted_issuer and u.subject = wanted_subject $$`);
  // An address that is not verified never takes the place of one that was.
  await runner.query(`
    create function directory.keep_user(new_id uuid, of_issuer text, of_subject text, verified_email text,
      full_name text, at timestamptz) returns uuid language sql security definer set search_path = pg_catalog as $$
      insert into directory.users as u (id, issuer, subject, email, name, created_at, last_sign_in_at)
        values (new_id, of_issuer, of_subject, verified_email, full_name, at, at)
      on conflict (issuer, subject) do update set email = coalesce(excluded.email, u.email),
        name = coalesce(excluded.name, u.name), last_sign_in_at = excluded.last_sign_in_at
      returning u.id $$`);
  // Whoever comes second waits for the first, and finds the token used if that one commits.
  await runner.query(`
    create function directory.use_id_token(hash bytea, until timestamptz) returns boolean
      language plpgsql security definer set search_path = pg_catalog as $$
    begin
      insert into directory.used_id_tokens (token_hash, expires_at) values (hash, until) on conflict do nothing;
      return found;
    end $$`);
  await runner.query(`grant select, insert, update on directory.users to ${lookup}`);
  await runner.query(`grant select, insert on directory.used_id_tokens to ${lookup}`);
  await runner.query(`grant select, delete on directory.used_id_tokens to ${system}`);
  for (const definer of [
    'find_tenant(text)',
    'find_user(text, text)',
    'keep_user(uuid, text, text, text, text, timestamptz)',
    'use_id_token(bytea, timestamptz)',
  ])
    await definerFunction(runner, `directory.${definer}`);
}

/** A session is a credential of a member that expires, and what is known of the sign-in behind it. */
async function sessions(runner: QueryRunner): Promise<void> {
  const { lookup } = migrationRoles();
  await runner.query(`
    alter table directory.credentials
      drop constraint credentials_kind_check,
      add constraint credentials_kind_check check (kind in ('api_key', 'scim_token', 'session')),
      add constraint credentials_session_check
        check (kind <> 'session' or member_id is not null and expires_at is not null)`);
  await runner.query(`
    create table directory.sessions (
      credential_id uuid primary key references directory.credentials (id) on delete cascade,
      tenant_id uuid not null references directory.tenants (id),
      member_id uuid not null,
      user_id uuid not null references directory.users (id),
      ip text,
      user_agent text check (length(user_agent) <= 500),
      methods text[] not null,
      authenticated_at timestamptz(3),
      multi_factor_at timestamptz(3),
      idle_seconds integer not null check (idle_seconds > 0),
      expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null
    )`);
  await runner.query(`create index sessions_member_idx on directory.sessions (tenant_id, member_id, created_at)`);
  await runner.query(`create index sessions_expiry_idx on directory.sessions (expires_at)`);
  await runner.query(`create index sessions_user_idx on directory.sessions (user_id)`);
  await runner.query(`grant insert on directory.credentials to ${lookup}`);
  await runner.query(`grant select, insert on directory.sessions to ${lookup}`);
  // Both begin with the use that was noted last: what follows is deleted with it.
  await runner.query(`
    alter table directory.credential_uses drop constraint credential_uses_credential_id_fkey,
      add constraint credential_uses_credential_id_fkey
        foreign key (credential_id) references directory.credentials (id) on delete cascade`);
  await runner.query(`grant delete on directory.credentials to ${lookup}`);
}

const SESSION_ROWS = `returns table (id uuid, member_id uuid, user_id uuid, name text, ip text, user_agent text,
        methods text[], authenticated_at timestamptz, multi_factor_at timestamptz, idle_seconds integer,
        expires_at timestamptz, created_at timestamptz, last_seen_at timestamptz, revoked_at timestamptz)
      language sql stable security definer set search_path = pg_catalog as $$
      select s.credential_id, s.member_id, s.user_id, c.name, s.ip, s.user_agent, s.methods, s.authenticated_at,
        s.multi_factor_at, s.idle_seconds, s.expires_at, s.created_at, coalesce(u.last_used_at, s.created_at), c.revoked_at
      from directory.sessions s join directory.credentials c on c.id = s.credential_id
        left join directory.credential_uses u on u.credential_id = s.credential_id
      where s.tenant_id = current_setting('app.tenant_id')::uuid`;

/** All of them are about the tenant in context, but for the look-up of a credential's state and the removal of old ones. */
async function sessionFunctions(runner: QueryRunner): Promise<void> {
  const { lookup, system } = migrationRoles();
  await runner.query(`
    create function directory.open_session(session uuid, key text, secret bytea, member uuid, person uuid, label text,
      address text, agent text, factors text[], signed_in timestamptz, second_factor timestamptz, idle integer,
      until timestamptz, at timestamptz) returns void language sql security definer set search_path = pg_catalog as $$
      insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
          allow_protected, allowed_cidrs, created_at, expires_at, member_id)
        values (session, current_setting('app.tenant_id')::uuid, 'session', key, session, label, secret, array['*'],
          false, array[]::text[], at, until, member);
      insert into directory.sessions (credential_id, tenant_id, member_id, user_id, ip, user_agent, methods,
          authenticated_at, multi_factor_at, idle_seconds, expires_at, created_at)
        values (session, current_setting('app.tenant_id')::uuid, member, person, address, agent, factors, signed_in,
          second_factor, idle, until, at) $$`);
  await runner.query(`
    create function directory.session_state(key text)
      returns table (idle_seconds integer, multi_factor_at timestamptz, last_seen_at timestamptz)
      language sql stable security definer set search_path = pg_catalog as $$
      select s.idle_seconds, s.multi_factor_at, coalesce(u.last_used_at, s.created_at)
      from directory.credentials c join directory.sessions s on s.credential_id = c.id
        left join directory.credential_uses u on u.credential_id = c.id
      where c.key_id = key $$`);
  await runner.query(`
    create function directory.sessions_of(member uuid, at timestamptz) ${SESSION_ROWS} and s.member_id = member
        and c.revoked_at is null and s.expires_at > at
        and coalesce(u.last_used_at, s.created_at) + s.idle_seconds * interval '1 second' > at
      order by s.created_at desc, s.credential_id desc $$`);
  await runner.query(`
    create function directory.find_session(session uuid) ${SESSION_ROWS} and s.credential_id = session $$`);
  await runner.query(`
    create function directory.revoke_session(session uuid, at timestamptz) returns void
      language sql security definer set search_path = pg_catalog as $$
      update directory.credentials c set revoked_at = at
        where c.tenant_id = current_setting('app.tenant_id')::uuid and c.id = session and c.kind = 'session'
          and c.revoked_at is null $$`);
  await runner.query(`
    create function directory.revoke_credentials(member uuid, kinds text[], at timestamptz)
      returns table (id uuid, kind text, name text) language sql security definer set search_path = pg_catalog as $$
      update directory.credentials c set revoked_at = at
        where c.tenant_id = current_setting('app.tenant_id')::uuid and c.member_id = member and c.kind = any(kinds)
          and c.revoked_at is null and (c.expires_at is null or c.expires_at > at)
        returning c.id, c.kind, c.name $$`);
  await runner.query(`
    create function directory.person_of(session uuid) returns table (user_id uuid, email text, name text,
      methods text[], authenticated_at timestamptz, multi_factor_at timestamptz)
      language sql stable security definer set search_path = pg_catalog as $$
      select u.id, u.email, u.name, s.methods, s.authenticated_at, s.multi_factor_at
      from directory.sessions s join directory.users u on u.id = s.user_id where s.credential_id = session $$`);
  await runner.query(`
    create function directory.member_access(members uuid[], at timestamptz)
      returns table (member_id uuid, active_sessions integer, api_keys integer, methods text[], multi_factor_at timestamptz)
      language sql stable security definer set search_path = pg_catalog as $$
      select m.id,
        (select count(*)::integer from directory.sessions_of(m.id, at)),
        (select count(*)::integer from directory.credentials c
          where c.tenant_id = current_setting('app.tenant_id')::uuid and c.member_id = m.id and c.kind = 'api_key'
            and c.revoked_at is null and (c.expires_at is null or c.expires_at > at)),
        coalesce(last.methods, array[]::text[]), last.multi_factor_at
      from unnest(members) m (id) left join lateral (
        select s.methods, s.multi_factor_at from directory.sessions s
        where s.tenant_id = current_setting('app.tenant_id')::uuid and s.member_id = m.id
        order by s.created_at desc limit 1) last on true $$`);
  await runner.query(`
    create function directory.forget_sessions(ended_before timestamptz, at_most integer) returns integer
      language sql security definer set search_path = pg_catalog as $$
      with gone as (
        delete from directory.credentials c using (
          select s.credential_id from directory.sessions s
          where s.expires_at < ended_before order by s.expires_at limit at_most) old
        where c.id = old.credential_id returning 1)
      select count(*)::integer from gone $$`);
  await runner.query(`grant select on directory.credential_uses to ${lookup}`);
  for (const definer of [
    'open_session(uuid, text, bytea, uuid, uuid, text, text, text, text[], timestamptz, timestamptz, integer, timestamptz, timestamptz)',
    'session_state(text)',
    'sessions_of(uuid, timestamptz)',
    'find_session(uuid)',
    'revoke_session(uuid, timestamptz)',
    'revoke_credentials(uuid, text[], timestamptz)',
    'person_of(uuid)',
    'member_access(uuid[], timestamptz)',
    'forget_sessions(timestamptz, integer)',
  ])
    await definerFunction(runner, `directory.${definer}`);
  await runner.query(`grant select on directory.sessions to ${system}`);
}

/** Invitations. The hash of a token stands in the directory, which leads from it to the tenant. */
async function invitations(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.invitations (
      tenant_id uuid not null,
      id uuid not null,
      email text not null check (length(email) between 3 and 254),
      email_lower text generated always as (lower(email)) stored,
      role_ids uuid[] not null,
      workspace_ids uuid[] not null,
      message text check (length(message) between 1 and 1000),
      employee_id uuid,
      status text not null check (status in ('pending', 'accepted', 'declined', 'expired', 'revoked')),
      invited_by jsonb not null,
      expires_at timestamptz(3) not null,
      closed_at timestamptz(3),
      accepted_membership_id uuid,
      version integer not null default 1 check (version > 0),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, employee_id) references data.people_employees (tenant_id, id),
      foreign key (tenant_id, accepted_membership_id) references data.memberships (tenant_id, id)
    )`);
  await runner.query(
    `create unique index invitations_email_key on data.invitations (tenant_id, email_lower) where status = 'pending'`,
  );
  const sorts = { created: 'created_at', expires: 'expires_at' };
  for (const [name, column] of Object.entries(sorts))
    await runner.query(`create index invitations_${name}_idx on data.invitations (tenant_id, ${column}, id)`);
  await runner.query(`create index invitations_status_idx on data.invitations (tenant_id, status, created_at, id)`);
  await tenantTable(runner, 'data.invitations', { grant: 'select, insert, update' });
}

/** What leads from a token, or from a person, to an open invitation. */
async function openInvitations(runner: QueryRunner): Promise<void> {
  const { lookup } = migrationRoles();
  await runner.query(`
    create table directory.open_invitations (
      tenant_id uuid not null references directory.tenants (id),
      invitation_id uuid not null,
      token_hash bytea not null constraint open_invitations_token_key unique check (length(token_hash) = 32),
      email_lower text not null,
      primary key (tenant_id, invitation_id)
    )`);
  await runner.query(`create index open_invitations_email_idx on directory.open_invitations (email_lower)`);
  await runner.query(`
    create function directory.open_invitation(invitation uuid, hash bytea, address text) returns void
      language sql security definer set search_path = pg_catalog as $$
      insert into directory.open_invitations (tenant_id, invitation_id, token_hash, email_lower)
        values (current_setting('app.tenant_id')::uuid, invitation, hash, lower(address))
      on conflict (tenant_id, invitation_id) do update set token_hash = excluded.token_hash $$`);
  await runner.query(`
    create function directory.close_invitation(invitation uuid) returns void
      language sql security definer set search_path = pg_catalog as $$
      delete from directory.open_invitations
        where tenant_id = current_setting('app.tenant_id')::uuid and invitation_id = invitation $$`);
  await runner.query(`
    create function directory.find_invitation(hash bytea)
      returns table (invitation_id uuid, id uuid, slug text, name text, plan text, currency text, epoch bigint)
      language sql stable security definer set search_path = pg_catalog as $$
      select i.invitation_id, t.id, t.slug, t.name, t.plan, t.currency, t.epoch
      from directory.open_invitations i join directory.tenants t on t.id = i.tenant_id
      where i.token_hash = hash $$`);
  await runner.query(`
    create function directory.invitations_of(person uuid)
      returns table (invitation_id uuid, id uuid, slug text, name text, plan text, currency text, epoch bigint)
      language sql stable security definer set search_path = pg_catalog as $$
      select i.invitation_id, t.id, t.slug, t.name, t.plan, t.currency, t.epoch
      from directory.users u join directory.open_invitations i on i.email_lower = lower(u.email)
        join directory.tenants t on t.id = i.tenant_id
      where u.id = person order by i.invitation_id limit 20 $$`);
  await runner.query(`grant select, insert, update, delete on directory.open_invitations to ${lookup}`);
  for (const definer of [
    'open_invitation(uuid, bytea, text)',
    'close_invitation(uuid)',
    'find_invitation(bytea)',
    'invitations_of(uuid)',
  ])
    await definerFunction(runner, `directory.${definer}`);
}

/** Mails that the worker sends. What they say is sealed, and gone once they are sent or given up. */
async function mails(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.mails (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (length(kind) between 1 and 60),
      subject_id uuid not null,
      content text,
      state text not null check (state in ('waiting', 'sent', 'failed', 'cancelled')),
      attempts integer not null default 0 check (attempts >= 0),
      due_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      error text check (length(error) <= 500),
      created_at timestamptz(3) not null,
      finished_at timestamptz(3),
      primary key (tenant_id, id)
    )`);
  await runner.query(`create index mails_due_idx on data.mails (due_at) where state = 'waiting'`);
  await runner.query(`create index mails_subject_idx on data.mails (tenant_id, subject_id, created_at)`);
  await systemTable(runner, 'data.mails', {
    app: { grant: 'select, insert', updateColumns: ['state', 'content', 'finished_at'] },
    system: { grant: 'select, insert, update' },
  });
}
