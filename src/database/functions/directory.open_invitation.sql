create or replace function directory.open_invitation(invitation uuid, hash bytea, address text)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
insert into directory.open_invitations (tenant_id, invitation_id, token_hash, email_lower)
  values (current_setting('app.tenant_id')::uuid, invitation, hash, data.fold(address))
on conflict (tenant_id, invitation_id) do update set token_hash = excluded.token_hash
$$;
