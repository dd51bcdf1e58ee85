create or replace function directory.maintenance(since timestamp with time zone, until timestamp with time zone)
  returns table(id uuid, title text, starts_at timestamp with time zone, ends_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select w.id, w.title, w.starts_at, w.ends_at from directory.maintenance_windows w
where w.cancelled_at is null and w.ends_at > since and w.starts_at < until order by w.starts_at, w.id
$$;
