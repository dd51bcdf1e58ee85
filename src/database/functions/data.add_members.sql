create or replace function data.add_members(tenant uuid, counted text, subject uuid, difference integer)
  returns void
  language plpgsql
  set search_path = pg_catalog
as $$
declare free uuid;
begin
  select slot into free from data.member_counts
    where tenant_id = tenant and kind = counted and subject_id = subject limit 1 for no key update skip locked;
  if found then
    update data.member_counts set members = members + difference
      where tenant_id = tenant and kind = counted and subject_id = subject and slot = free;
  else
    insert into data.member_counts values (tenant, counted, subject, gen_random_uuid(), difference);
  end if;
end
$$;
