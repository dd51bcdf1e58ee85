create or replace function directory.background_lag()
  returns table(relay_seconds integer, sealing_seconds integer, mail_seconds integer, measured_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select l.relay_seconds, l.sealing_seconds, l.mail_seconds, l.measured_at from directory.background_lags l
$$;
