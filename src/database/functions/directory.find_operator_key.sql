create or replace function directory.find_operator_key(hash bytea, at timestamp with time zone)
  returns table(id uuid, name text)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select k.id, k.name from directory.operator_keys k
where k.secret_hash = hash and k.revoked_at is null and k.expires_at > at
$$;
