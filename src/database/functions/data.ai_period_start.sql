create or replace function data.ai_period_start(period text, day date)
  returns date
  language sql
  immutable
  set search_path = pg_catalog
  return (date_trunc(period, (day)::timestamp without time zone))::date;
