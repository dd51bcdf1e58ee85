create or replace function directory.find_closed_invitation(hash bytea)
  returns table(invitation_id uuid, id uuid, slug text, name text, plan text, currency text, epoch bigint)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select c.invitation_id, t.id, t.slug, t.name, t.plan, t.currency, t.epoch
from directory.closed_invitations c join directory.tenants t on t.id = c.tenant_id
where c.token_hash = hash and c.closed_at > now() - interval '10 minutes'
$$;
