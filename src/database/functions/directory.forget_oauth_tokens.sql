create or replace function directory.forget_oauth_tokens(expired_before timestamp with time zone, at_most integer)
  returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
declare
  tokens integer;
  credentials integer;
begin
  if expired_before > now() then
    raise exception 'what is not over cannot be forgotten' using errcode = 'invalid_parameter_value';
  end if;
  delete from directory.oauth_tokens where id in (
    select t.id from directory.oauth_tokens t where t.expires_at < expired_before
    order by t.expires_at limit at_most);
  get diagnostics tokens = row_count;
  delete from directory.credentials where id in (
    select c.id from directory.credentials c where c.kind = 'oauth_token' and c.expires_at < expired_before
    order by c.expires_at limit at_most);
  get diagnostics credentials = row_count;
  return greatest(tokens, credentials);
end
$$;
