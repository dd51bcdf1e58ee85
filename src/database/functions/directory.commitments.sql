create or replace function directory.commitments()
  returns table(metric text, target_millis integer)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select c.metric, c.target_millis from directory.tenant_commitments c
where c.tenant_id = current_setting('app.tenant_id')::uuid
$$;
