create or replace function directory.note_member()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  if new.status = 'active' and new.deleted_at is null then
    insert into directory.member_places (tenant_id, membership_id, user_id, email_lower)
      values (new.tenant_id, new.id, new.user_id, lower(new.email))
    on conflict (tenant_id, membership_id) do update
      set user_id = excluded.user_id, email_lower = excluded.email_lower;
  else
    delete from directory.member_places where tenant_id = new.tenant_id and membership_id = new.id;
  end if;
  return null;
end
$$;
