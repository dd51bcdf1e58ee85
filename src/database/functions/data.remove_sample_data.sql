create or replace function data.remove_sample_data(loaded_at timestamp with time zone)
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog
  set enable_nestloop = off
as $$
declare
  tenant uuid := current_setting('app.tenant_id')::uuid;
  each_table text;
  side text;
  deletions text;
begin
  perform data.lock_deletions();
  update data.sample_records s set kept_by = null where s.tenant_id = tenant and s.kept_by is not null;
  -- Whoever adds a reference to one of the records waits for these locks.
  for each_table in select distinct s.place from data.sample_records s where s.tenant_id = tenant order by 1 loop
    execute format('select 1 from %s t where t.tenant_id = $1 and t.id in (
      select s.id from data.sample_records s where s.tenant_id = $1) order by t.id for update of t', each_table)
      using tenant;
  end loop;
  perform data.find_kept_sample_records(tenant);
  -- Rows that go with one record and refer to another one would otherwise keep the other one.
  execute 'delete from data.checklists c where c.tenant_id = $1 and c.subject_id in (select r.id from data.sample_records r where r.tenant_id = $1 and r.kept_by is null)' using tenant;
  for side in
    with known as materialized (select * from data.references_to_records())
    select format('delete from %s c where c.tenant_id = $1 and c.%I in (select r.id from data.sample_records r where r.tenant_id = $1 and r.kept_by is null)', w.child, w.child_column)
    from known w where w.goes_along
      and w.parent in (select distinct s.place from data.sample_records s where s.tenant_id = tenant)
      and exists (select from known k where k.child = w.child and not k.goes_along)
      and has_table_privilege(w.child, 'delete')
  loop
    execute side using tenant;
  end loop;
  -- One statement, so that records can refer to each other: foreign keys are checked at its end.
  select string_agg(
      format('%I as (delete from %s t where t.tenant_id = $1 and t.id in (select r.id from data.sample_records r where r.tenant_id = $1 and r.kept_by is null))', p.place, p.place), ', ')
    into deletions
    from (select distinct s.place from data.sample_records s where s.tenant_id = tenant) p;
  if deletions is null then return; end if;
  execute format('with %s select', deletions) using tenant;
  -- Approvals of actions on records that are gone are gone with what is about them.
  execute $traces$ with gone as materialized (select r.id from data.sample_records r where r.tenant_id = $1 and r.kept_by is null union all
      select a.id from data.home_approvals a where a.tenant_id = $1 and a.target_id in (select r.id from data.sample_records r where r.tenant_id = $1 and r.kept_by is null)),
    comments_of as (delete from data.comments t where t.tenant_id = $1 and t.record_id in (select g.id from gone g)), attachments_of as (delete from data.attachments t where t.tenant_id = $1 and t.record_id in (select g.id from gone g)), record_links_of as (delete from data.record_links t where t.tenant_id = $1 and t.record_id in (select g.id from gone g)), record_watchers_of as (delete from data.record_watchers t where t.tenant_id = $1 and t.record_id in (select g.id from gone g)), record_tags_of as (delete from data.record_tags t where t.tenant_id = $1 and t.record_id in (select g.id from gone g)), external_refs_of as (delete from data.external_refs t where t.tenant_id = $1 and t.record_id in (select g.id from gone g)), custom_field_values_of as (delete from data.custom_field_values t where t.tenant_id = $1 and t.record_id in (select g.id from gone g)), record_transitions_of as (delete from data.record_transitions t where t.tenant_id = $1 and t.record_id in (select g.id from gone g)), notifications_of as (delete from data.notifications t where t.tenant_id = $1 and t.subject_id in (select g.id from gone g)), resource_grants_of as (delete from data.resource_grants t where t.tenant_id = $1 and t.object_id in (select g.id from gone g)), public_links_of as (delete from data.public_links t where t.tenant_id = $1 and t.target_id in (select g.id from gone g)), ai_job_targets_of as (delete from data.ai_job_targets t where t.tenant_id = $1 and t.record_id in (select g.id from gone g)), home_approvals_of as (delete from data.home_approvals t where t.tenant_id = $1 and t.id in (select g.id from gone g)),
    other_links as (delete from data.record_links t where t.tenant_id = $1 and t.other_id in (select g.id from gone g)
      and t.record_id not in (select g.id from gone g)),
    runs as (delete from data.automation_runs t where t.tenant_id = $1
      and (t.key in (select g.id::text from gone g) or t.subject_id in (select g.id::text from gone g))),
    entries as (delete from data.finance_ledger_entries t where t.tenant_id = $1 and t.sample and t.source_id in (select g.id from gone g))
    select $traces$ using tenant;
  with days as (
    delete from data.metric_snapshots m where m.tenant_id = tenant and m.recorded_at >= loaded_at returning m.date)
  delete from data.metric_anomalies a using days where a.tenant_id = tenant and a.date = days.date;
  delete from data.sample_records s where s.tenant_id = tenant and s.kept_by is null;
end
$$;
