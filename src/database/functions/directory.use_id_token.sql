create or replace function directory.use_id_token(hash bytea, until timestamp with time zone)
  returns boolean
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  insert into directory.used_id_tokens (token_hash, expires_at) values (hash, until) on conflict do nothing;
  return found;
end
$$;
