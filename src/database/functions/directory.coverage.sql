create or replace function directory.coverage(since timestamp with time zone, until timestamp with time zone)
  returns table(from_at timestamp with time zone, to_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select c.from_at, c.to_at from directory.process_coverage c where c.to_at >= since and c.from_at < until
order by c.from_at
$$;
