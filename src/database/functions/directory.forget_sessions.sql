create or replace function directory.forget_sessions(ended_before timestamp with time zone, at_most integer)
  returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
declare
  count integer;
begin
  if ended_before > now() then
    raise exception 'what is not over cannot be forgotten' using errcode = 'invalid_parameter_value';
  end if;
  delete from directory.credentials c using (
    select s.credential_id from directory.sessions s
    where s.expires_at < ended_before order by s.expires_at limit at_most) old
  where c.id = old.credential_id;
  get diagnostics count = row_count;
  return count;
end
$$;
