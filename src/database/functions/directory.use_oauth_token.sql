create or replace function directory.use_oauth_token(token uuid, at timestamp with time zone)
  returns boolean
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  update directory.oauth_tokens t set used_at = at from directory.oauth_grants g
    where t.id = token and t.used_at is null and g.id = t.grant_id and g.tenant_id = current_setting('app.tenant_id')::uuid;
  return found;
end
$$;
