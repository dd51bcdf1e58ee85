create or replace function directory.find_invitation(hash bytea)
  returns table(invitation_id uuid, id uuid, slug text, name text, plan text, currency text, epoch bigint)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select i.invitation_id, t.id, t.slug, t.name, t.plan, t.currency, t.epoch
from directory.open_invitations i join directory.tenants t on t.id = i.tenant_id
where i.token_hash = hash
$$;
