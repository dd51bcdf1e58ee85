create or replace function directory.find_user(wanted_issuer text, wanted_subject text)
  returns table(id uuid)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select u.id from directory.users u where u.issuer = wanted_issuer and u.subject = wanted_subject
$$;
