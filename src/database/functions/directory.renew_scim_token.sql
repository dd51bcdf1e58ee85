create or replace function directory.renew_scim_token(config uuid, at timestamp with time zone, ends_at timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.credentials set expires_at = ends_at
  where tenant_id = current_setting('app.tenant_id')::uuid and kind = 'scim_token' and revoked_at is null and (expires_at is null or expires_at > at)
    and id = (select n.id from directory.credentials n where n.tenant_id = credentials.tenant_id
      and n.lineage_id = config order by n.created_at desc, n.id desc limit 1)
$$;
