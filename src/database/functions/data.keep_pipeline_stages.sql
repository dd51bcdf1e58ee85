create or replace function data.keep_pipeline_stages()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  delete from data.sales_pipeline_stages s
    where s.tenant_id = new.tenant_id and s.pipeline_id = new.id and not exists (
      select 1 from jsonb_array_elements(new.stages) x
      where x->>'key' = s.stage and x->>'category' = s.category);
  insert into data.sales_pipeline_stages (tenant_id, pipeline_id, stage, category)
    select new.tenant_id, new.id, x->>'key', x->>'category' from jsonb_array_elements(new.stages) x
    on conflict (tenant_id, pipeline_id, stage, category) do nothing;
  return null;
end
$$;
