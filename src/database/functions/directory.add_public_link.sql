create or replace function directory.add_public_link(link uuid, hash bytea)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
insert into directory.public_link_tokens (token_hash, tenant_id, link_id)
  values (hash, current_setting('app.tenant_id')::uuid, link)
$$;
