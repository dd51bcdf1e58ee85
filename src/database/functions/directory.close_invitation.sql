create or replace function directory.close_invitation(invitation uuid)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
delete from directory.closed_invitations
  where tenant_id = current_setting('app.tenant_id')::uuid and closed_at < now() - interval '10 minutes';
with closed as (
  delete from directory.open_invitations
  where tenant_id = current_setting('app.tenant_id')::uuid and invitation_id = invitation
  returning tenant_id, invitation_id, token_hash)
insert into directory.closed_invitations (tenant_id, invitation_id, token_hash, closed_at)
  select tenant_id, invitation_id, token_hash, now() from closed
$$;
