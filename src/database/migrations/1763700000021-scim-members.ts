import type { QueryRunner } from 'typeorm';

/** Keeps the SCIM user of each membership: all of it while no provider has written it, after that whether it is active. */
export async function membersAsUsers(runner: QueryRunner): Promise<void> {
  const [icu] = (await runner.query(`select 1 from pg_collation where collname = 'und-x-icu'`)) as object[];
  // As libs/scim/fold.ts has it; the rules of Unicode come with ICU. Without it only letters of the locale are folded.
  await runner.query(`
    create function data.scim_fold(value text) returns text language sql immutable strict set search_path = pg_catalog as $$
      select lower(normalize(value, NFC) collate ${icu ? '"und-x-icu"' : '"default"'}) collate "C" $$`);
  await runner.query(`
    create function data.scim_resource(user_name text, email text, name text) returns jsonb language sql immutable
      set search_path = pg_catalog as $$
      select jsonb_build_object('userName', user_name, 'displayName', name, 'name', jsonb_build_object('formatted', name),
        'emails', jsonb_build_array(jsonb_build_object('value', email, 'type', 'work', 'primary', true))) $$`);
  // The name of a user is the address, unless a provider has given that name to somebody else: then it is the id.
  await runner.query(`
    create function data.keep_scim_user() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare user_name text := new.email;
    begin
      if exists (select from data.scim_users u where u.tenant_id = new.tenant_id and u.deleted_at is null
          and u.user_name_key = data.scim_fold(new.email) and u.id <> new.id) then
        user_name := new.id;
      end if;
      if tg_op = 'INSERT' then
        insert into data.scim_users (tenant_id, id, user_name_key, display_name_key, active, data, keys, created_at,
            updated_at, deleted_at)
          values (new.tenant_id, new.id, data.scim_fold(user_name), data.scim_fold(new.name), new.status = 'active',
            data.scim_resource(user_name, new.email, new.name),
            data.scim_resource(data.scim_fold(user_name), data.scim_fold(new.email), data.scim_fold(new.name)),
            new.created_at, new.updated_at, new.deleted_at);
        return null;
      end if;
      update data.scim_users u set active = new.status = 'active', deleted_at = new.deleted_at, version = u.version + 1,
          updated_at = new.updated_at
        where u.tenant_id = new.tenant_id and u.id = new.id
          and (u.active <> (new.status = 'active') or u.deleted_at is distinct from new.deleted_at);
      update data.scim_users u set user_name_key = data.scim_fold(user_name), display_name_key = data.scim_fold(new.name),
          data = data.scim_resource(user_name, new.email, new.name),
          keys = data.scim_resource(data.scim_fold(user_name), data.scim_fold(new.email), data.scim_fold(new.name)),
          version = u.version + 1, updated_at = new.updated_at
        where u.tenant_id = new.tenant_id and u.id = new.id and u.config_id is null
          and (old.email <> new.email or old.name <> new.name);
      return null;
    end $$`);
  await runner.query(`
    create trigger scim_user after insert on data.memberships for each row execute function data.keep_scim_user()`);
  await runner.query(`
    create trigger scim_user_changed after update on data.memberships for each row
      when (old.status <> new.status or old.deleted_at is distinct from new.deleted_at or old.email <> new.email
        or old.name <> new.name) execute function data.keep_scim_user()`);
}
