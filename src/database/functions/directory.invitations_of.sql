create or replace function directory.invitations_of(person uuid)
  returns table(invitation_id uuid, id uuid, slug text, name text, plan text, currency text, epoch bigint)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select i.invitation_id, t.id, t.slug, t.name, t.plan, t.currency, t.epoch
from directory.users u join directory.open_invitations i on i.email_lower = data.fold(u.email)
  join directory.tenants t on t.id = i.tenant_id
where u.id = person order by i.invitation_id limit 20
$$;
