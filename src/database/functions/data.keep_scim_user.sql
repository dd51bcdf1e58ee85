create or replace function data.keep_scim_user()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
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
  update data.scim_users u set active = new.status = 'active', deleted_at = case when new.status = 'active' then new.deleted_at else coalesce(u.deleted_at, new.deleted_at) end, version = u.version + 1,
      updated_at = new.updated_at
    where u.tenant_id = new.tenant_id and u.id = new.id
      and (u.active <> (new.status = 'active') or u.deleted_at is distinct from case when new.status = 'active' then new.deleted_at else coalesce(u.deleted_at, new.deleted_at) end);
  update data.scim_users u set user_name_key = data.scim_fold(user_name), display_name_key = data.scim_fold(new.name),
      data = data.scim_resource(user_name, new.email, new.name),
      keys = data.scim_resource(data.scim_fold(user_name), data.scim_fold(new.email), data.scim_fold(new.name)),
      version = u.version + 1, updated_at = new.updated_at
    where u.tenant_id = new.tenant_id and u.id = new.id and u.config_id is null
      and (old.email <> new.email or old.name <> new.name);
  return null;
end
$$;
