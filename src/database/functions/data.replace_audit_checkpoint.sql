create or replace function data.replace_audit_checkpoint(sealed bigint)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
delete from data.audit_checkpoints c
  where c.tenant_id = current_setting('app.tenant_id')::uuid and c.size = sealed
    and date_trunc('hour', c.created_at) = date_trunc('hour', now())
$$;
