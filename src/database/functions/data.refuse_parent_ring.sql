create or replace function data.refuse_parent_ring()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  above uuid := new.parent_account_id;
begin
  while above is not null loop
    if above = new.id then
      raise exception 'An account is above itself.'
        using errcode = '23514', constraint = 'sales_accounts_parent_ring';
    end if;
    select a.parent_account_id into above from data.sales_accounts a
      where a.tenant_id = new.tenant_id and a.id = above for share;
  end loop;
  return null;
end
$$;
