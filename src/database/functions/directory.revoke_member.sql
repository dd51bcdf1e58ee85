create or replace function directory.revoke_member(member uuid, at timestamp with time zone)
  returns table(credential_id uuid, credential_kind text, credential_name text)
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.credentials c set revoked_at = at
  where c.tenant_id = current_setting('app.tenant_id')::uuid and c.member_id = member and c.revoked_at is null
  returning c.id, c.kind, c.name
$$;
