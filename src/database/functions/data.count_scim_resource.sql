create or replace function data.count_scim_resource()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'INSERT' then
    insert into data.scim_blocks as b (tenant_id, resource, block, live)
      values (new.tenant_id, tg_argv[0], new.seq / 512, 1)
      on conflict (tenant_id, resource, block) do update set live = b.live + 1;
  else
    update data.scim_blocks set live = live + case when new.deleted_at is null then 1 else -1 end
      where tenant_id = new.tenant_id and resource = tg_argv[0] and block = new.seq / 512;
  end if;
  return null;
end
$$;
