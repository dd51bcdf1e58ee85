create or replace function directory.person_of(session uuid)
  returns table(user_id uuid, email text, name text, methods text[], authenticated_at timestamp with time zone, multi_factor_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select u.id, u.email, u.name, s.methods, s.authenticated_at, s.multi_factor_at
from directory.sessions s join directory.users u on u.id = s.user_id where s.credential_id = session
$$;
