create or replace function directory.browser_session(session uuid)
  returns boolean
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select s.in_browser from directory.sessions s where s.credential_id = session
$$;
