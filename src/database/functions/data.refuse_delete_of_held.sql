create or replace function data.refuse_delete_of_held()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('legal_hold:' || t.tenant_id, 0))
    from (select distinct g.tenant_id from gone g) t;
  perform data.refuse_held(exists (
    select from gone g where data.has_holds(g.tenant_id) and data.is_held(g.tenant_id, tg_argv[0], to_jsonb(g))));
  return null;
end
$$;
