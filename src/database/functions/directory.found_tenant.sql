create or replace function directory.found_tenant(new_id uuid, new_slug text, new_name text, new_plan text, owner text, new_currency text, reads integer, writes integer, at timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
insert into directory.tenants (id, slug, name, plan, owner_email, currency, reads_per_minute,
    writes_per_minute, created_at, updated_at)
  values (new_id, new_slug, new_name, new_plan, owner, new_currency, reads, writes, at, at)
$$;
