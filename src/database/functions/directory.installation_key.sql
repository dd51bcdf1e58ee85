create or replace function directory.installation_key(p_name text)
  returns table(wrapped bytea, master_key_id text)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select k.wrapped, k.master_key_id from directory.installation_keys k where k.name = p_name
$$;
