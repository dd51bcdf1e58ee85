create or replace function directory.revoke_credentials(member uuid, kinds text[], at timestamp with time zone)
  returns table(id uuid, kind text, name text)
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.credentials c set revoked_at = at
  where c.tenant_id = current_setting('app.tenant_id')::uuid and c.member_id = member and c.kind = any(kinds)
    and c.revoked_at is null and (c.expires_at is null or c.expires_at > at)
  returning c.id, c.kind, c.name
$$;
