create or replace function directory.last_sign_ins()
  returns table(member_id uuid, methods text[], multi_factor_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select distinct on (s.member_id) s.member_id, s.methods, s.multi_factor_at from directory.sessions s
where s.tenant_id = current_setting('app.tenant_id')::uuid
order by s.member_id, s.created_at desc
$$;
