create or replace function directory.authenticate(wanted text)
  returns table(credential_id uuid, kind text, lineage_id uuid, name text, member_id uuid, secret_hash bytea, scopes text[], allow_protected boolean, allowed_cidrs text[], expires_at timestamp with time zone, revoked_at timestamp with time zone, tenant_id uuid, slug text, plan text, currency text, reads_per_minute integer, writes_per_minute integer, epoch bigint)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select c.id, c.kind, c.lineage_id, c.name, c.member_id, c.secret_hash, c.scopes, c.allow_protected,
       c.allowed_cidrs, c.expires_at, c.revoked_at, t.id, t.slug, t.plan, t.currency, t.reads_per_minute,
       t.writes_per_minute, t.epoch
from directory.credentials c join directory.tenants t on t.id = c.tenant_id
where c.key_id = wanted
$$;
