create or replace function directory.read_signing_keys()
  returns table(kid text, public_key bytea, sealed_private_key bytea, not_before timestamp with time zone, not_after timestamp with time zone, master_key_id text)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select k.kid, k.public_key, k.sealed_private_key, k.not_before, k.not_after, k.master_key_id
from directory.signing_keys k order by k.not_before, k.not_after nulls last
$$;
