create or replace function directory.tenant_in_scope()
  returns table(id uuid, slug text, name text, plan text, currency text, reads_per_minute integer, writes_per_minute integer, suspended_at timestamp with time zone, suspension_reason text, closes_at timestamp with time zone, closed_at timestamp with time zone, version integer, created_at timestamp with time zone, updated_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select t.id, t.slug, t.name, t.plan, t.currency, t.reads_per_minute, t.writes_per_minute, t.suspended_at,
  t.suspension_reason, t.closes_at, t.closed_at, t.version, t.created_at, t.updated_at
from directory.tenants t where t.id = current_setting('app.tenant_id')::uuid
$$;
