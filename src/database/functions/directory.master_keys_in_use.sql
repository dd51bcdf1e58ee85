create or replace function directory.master_keys_in_use()
  returns table(id text, first_used_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select k.id, k.first_used_at from directory.master_keys k order by k.first_used_at
$$;
