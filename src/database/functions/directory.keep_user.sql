create or replace function directory.keep_user(new_id uuid, of_issuer text, of_subject text, verified_email text, full_name text, at timestamp with time zone)
  returns uuid
  language sql
  security definer
  set search_path = pg_catalog
as $$
insert into directory.users as u (id, issuer, subject, email, name, created_at, last_sign_in_at)
  values (new_id, of_issuer, of_subject, verified_email, full_name, at, at)
on conflict (issuer, subject) do update set email = coalesce(excluded.email, u.email),
  name = coalesce(excluded.name, u.name), last_sign_in_at = excluded.last_sign_in_at
returning u.id
$$;
