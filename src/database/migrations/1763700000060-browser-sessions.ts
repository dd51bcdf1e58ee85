import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

const TENANT_FACTS = 't.id, t.slug, t.name, t.plan, t.currency, t.epoch';
const FACTS = 'id uuid, slug text, name text, plan text, currency text, epoch bigint';

/** Signing in by browser: of which tenants people are members, and the sessions of those who have chosen none yet. ADR 0042. */
export class BrowserSessions1763700000060 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await places(runner);
    await columns(runner);
    await openings(runner);
    await personal(runner);
    await changes(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** What leads from a person to their tenants. */
async function places(runner: QueryRunner): Promise<void> {
  const { lookup } = migrationRoles();
  await runner.query(`
    create table directory.member_places (
      tenant_id uuid not null references directory.tenants (id),
      membership_id uuid not null,
      user_id uuid,
      email_lower text not null,
      primary key (tenant_id, membership_id)
    )`);
  await runner.query(`create index member_places_user_idx on directory.member_places (user_id)`);
  await runner.query(`create index member_places_email_idx on directory.member_places (email_lower)`);
  await runner.query(`grant select, insert, update, delete on directory.member_places to ${lookup}`);
  await runner.query(`
    insert into directory.member_places (tenant_id, membership_id, user_id, email_lower)
      select tenant_id, id, user_id, lower(email) from data.memberships where status = 'active' and deleted_at is null`);
  await runner.query(`
    create function directory.note_member() returns trigger language plpgsql security definer
      set search_path = pg_catalog as $$
    begin
      if new.status = 'active' and new.deleted_at is null then
        insert into directory.member_places (tenant_id, membership_id, user_id, email_lower)
          values (new.tenant_id, new.id, new.user_id, lower(new.email))
        on conflict (tenant_id, membership_id) do update
          set user_id = excluded.user_id, email_lower = excluded.email_lower;
      else
        delete from directory.member_places where tenant_id = new.tenant_id and membership_id = new.id;
      end if;
      return null;
    end $$`);
  await definerFunction(runner, 'directory.note_member()');
  await runner.query(`
    create trigger places after insert or update of email, user_id, status, deleted_at on data.memberships
      for each row execute function directory.note_member()`);
  await runner.query(`
    create function directory.tenants_of(person uuid) returns table (${FACTS})
      language sql stable security definer set search_path = pg_catalog as $$
      select ${TENANT_FACTS} from directory.tenants t where t.id in (
        select p.tenant_id from directory.member_places p where p.user_id = person
        union
        select p.tenant_id from directory.users u join directory.member_places p on p.email_lower = lower(u.email)
          where u.id = person and p.user_id is null)
      order by t.slug limit 100 $$`);
  await definerFunction(runner, 'directory.tenants_of(uuid)');
}

/** The session of somebody who has chosen no tenant has neither tenant nor member. */
async function columns(runner: QueryRunner): Promise<void> {
  await runner.query(`
    alter table directory.credentials
      alter column tenant_id drop not null,
      drop constraint credentials_session_check,
      add constraint credentials_session_check
        check (kind <> 'session' or expires_at is not null and (member_id is null) = (tenant_id is null)),
      add constraint credentials_tenant_check check (kind = 'session' or tenant_id is not null)`);
  await runner.query(`
    alter table directory.sessions
      alter column tenant_id drop not null,
      alter column member_id drop not null,
      add column in_browser boolean not null default false,
      add constraint sessions_member_check check ((member_id is null) = (tenant_id is null))`);
}

async function openings(runner: QueryRunner): Promise<void> {
  const terms = `session uuid, key text, secret bytea, member uuid, person uuid, label text, address text, agent text,
      factors text[], signed_in timestamptz, second_factor timestamptz, idle integer, until timestamptz, at timestamptz`;
  await runner.query(`
    drop function directory.open_session(
      uuid, text, bytea, uuid, uuid, text, text, text, text[], timestamptz, timestamptz, integer, timestamptz, timestamptz)`);
  // Without a tenant in context it is nobody's but the person's.
  await runner.query(`
    create function directory.open_session(${terms}, browser boolean) returns void
      language sql security definer set search_path = pg_catalog as $$
      insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
          allow_protected, allowed_cidrs, created_at, expires_at, member_id)
        values (session, case when member is not null then current_setting('app.tenant_id')::uuid end, 'session', key,
          session, label, secret, array['*'], false, array[]::text[], at, until, member);
      insert into directory.sessions (credential_id, tenant_id, member_id, user_id, ip, user_agent, methods,
          authenticated_at, multi_factor_at, idle_seconds, expires_at, created_at, in_browser)
        values (session, case when member is not null then current_setting('app.tenant_id')::uuid end, member, person,
          address, agent, factors, signed_in, second_factor, idle, until, at, browser) $$`);
  await definerFunction(
    runner,
    'directory.open_session(uuid, text, bytea, uuid, uuid, text, text, text, text[], timestamptz, timestamptz, integer, timestamptz, timestamptz, boolean)',
  );
}

const PERSONAL = `select s.credential_id, c.secret_hash, s.user_id, u.email, u.name, s.ip, s.user_agent, s.methods,
        s.authenticated_at, s.multi_factor_at, s.idle_seconds, s.expires_at, s.created_at,
        coalesce(l.last_used_at, s.created_at), c.revoked_at, s.in_browser
      from directory.sessions s join directory.credentials c on c.id = s.credential_id
        join directory.users u on u.id = s.user_id
        left join directory.credential_uses l on l.credential_id = s.credential_id
      where s.tenant_id is null`;
const PERSONAL_ROWS = `returns table (id uuid, secret_hash bytea, user_id uuid, email text, name text, ip text,
        user_agent text, methods text[], authenticated_at timestamptz, multi_factor_at timestamptz,
        idle_seconds integer, expires_at timestamptz, created_at timestamptz, last_seen_at timestamptz,
        revoked_at timestamptz, in_browser boolean)
      language sql stable security definer set search_path = pg_catalog`;

/** Sessions without a tenant, and those that a person has wherever they are. */
async function personal(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function directory.personal_session(key text) ${PERSONAL_ROWS} as $$ ${PERSONAL} and c.key_id = key $$`);
  await runner.query(`
    create function directory.personal_sessions_of(person uuid, at timestamptz) ${PERSONAL_ROWS} as $$
      ${PERSONAL} and s.user_id = person and c.revoked_at is null and s.expires_at > at
        and coalesce(l.last_used_at, s.created_at) + s.idle_seconds * interval '1 second' > at
      order by s.created_at desc, s.credential_id desc limit 100 $$`);
  await runner.query(`
    create function directory.end_personal_sessions(person uuid, one uuid, at timestamptz) returns integer
      language sql security definer set search_path = pg_catalog as $$
      with ended as (
        update directory.credentials c set revoked_at = at from directory.sessions s
        where s.credential_id = c.id and s.tenant_id is null and s.user_id = person and c.revoked_at is null
          and (one is null or c.id = one)
        returning 1)
      select count(*)::integer from ended $$`);
  await runner.query(`
    create function directory.session_places(person uuid, at timestamptz)
      returns table (member_id uuid, member_name text, ${FACTS})
      language sql stable security definer set search_path = pg_catalog as $$
      select distinct on (t.id, s.member_id) s.member_id, c.name, ${TENANT_FACTS}
      from directory.sessions s join directory.credentials c on c.id = s.credential_id
        join directory.tenants t on t.id = s.tenant_id
      where s.user_id = person and c.revoked_at is null and s.expires_at > at $$`);
  for (const definer of [
    'personal_session(text)',
    'personal_sessions_of(uuid, timestamptz)',
    'end_personal_sessions(uuid, uuid, timestamptz)',
    'session_places(uuid, timestamptz)',
  ])
    await definerFunction(runner, `directory.${definer}`);
}

/** A session after a fresh sign-in, which in the browser gets another secret. */
async function changes(runner: QueryRunner): Promise<void> {
  const { lookup } = migrationRoles();
  await runner.query(`grant update (methods, authenticated_at, multi_factor_at) on directory.sessions to ${lookup}`);
  await runner.query(`grant update (key_id, secret_hash) on directory.credentials to ${lookup}`);
  await runner.query(`
    create function directory.renew_session(session uuid, key text, secret bytea, factors text[], signed_in timestamptz,
      second_factor timestamptz) returns void language sql security definer set search_path = pg_catalog as $$
      update directory.sessions s set methods = factors, authenticated_at = signed_in, multi_factor_at = second_factor
        where s.tenant_id = current_setting('app.tenant_id')::uuid and s.credential_id = session;
      update directory.credentials c set key_id = coalesce(key, c.key_id), secret_hash = coalesce(secret, c.secret_hash)
        where c.tenant_id = current_setting('app.tenant_id')::uuid and c.id = session and c.kind = 'session' $$`);
  await definerFunction(runner, 'directory.renew_session(uuid, text, bytea, text[], timestamptz, timestamptz)');
  await runner.query(`
    create function directory.browser_session(session uuid) returns boolean
      language sql stable security definer set search_path = pg_catalog as $$
      select s.in_browser from directory.sessions s where s.credential_id = session $$`);
  await definerFunction(runner, 'directory.browser_session(uuid)');
}
