create or replace function directory.report_process(process uuid, since timestamp with time zone, until timestamp with time zone, tenants uuid[])
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  insert into directory.process_coverage as c (process_id, from_at, to_at) values (process, since, until)
    on conflict (process_id, from_at) do update set to_at = greatest(c.to_at, excluded.to_at);
  insert into directory.tenant_activity as a (tenant_id, seen_at)
    select distinct tenant, until from unnest(tenants) tenant order by tenant
    on conflict (tenant_id) do update set seen_at = excluded.seen_at
      where a.seen_at < excluded.seen_at - interval '1 minute';
end
$$;
