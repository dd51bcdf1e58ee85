create or replace function directory.members_with_second_factor()
  returns setof uuid
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select last.member_id from (
  select distinct on (s.member_id) s.member_id, s.multi_factor_at from directory.sessions s
  where s.tenant_id = current_setting('app.tenant_id')::uuid
  order by s.member_id, s.created_at desc) last
where last.multi_factor_at is not null
$$;
