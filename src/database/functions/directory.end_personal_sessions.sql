create or replace function directory.end_personal_sessions(person uuid, one uuid, at timestamp with time zone)
  returns integer
  language sql
  security definer
  set search_path = pg_catalog
as $$
with ended as (
  update directory.credentials c set revoked_at = at from directory.sessions s
  where s.credential_id = c.id and s.tenant_id is null and s.user_id = person and c.revoked_at is null
    and (one is null or c.id = one)
  returning 1)
select count(*)::integer from ended
$$;
