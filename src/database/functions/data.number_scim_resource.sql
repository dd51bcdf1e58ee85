create or replace function data.number_scim_resource()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  insert into data.scim_sequences as s (tenant_id, resource, last) values (new.tenant_id, tg_argv[0], 1)
    on conflict (tenant_id, resource) do update set last = s.last + 1 returning last into new.seq;
  return new;
end
$$;
