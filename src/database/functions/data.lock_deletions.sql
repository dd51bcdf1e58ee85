create or replace function data.lock_deletions()
  returns void
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('legal_hold:' || current_setting('app.tenant_id'), 0));
end
$$;
