create or replace function data.find_kept_sample_records(tenant uuid)
  returns void
  language plpgsql
  set search_path = pg_catalog
  set enable_nestloop = off
as $$
  declare
    used record;
    stays text;
    keeper text;
    changed bigint;
    total bigint;
  begin
    loop
      total := 0;
      for used in
        with known as materialized (select * from data.references_to_records())
        select k.*, exists (select from pg_attribute a
            where a.attrelid = k.child_id and a.attname = 'id' and not a.attisdropped) as has_id,
          (select jsonb_agg(jsonb_build_object('column', w.child_column, 'place', w.parent))
            from known w where w.child = k.child and w.goes_along) as wholes
        from known k
        where k.parent in (select distinct s.place from data.sample_records s where s.tenant_id = tenant)
      loop
        select coalesce(string_agg(format('(c.%1$I is not null and not exists (select from data.sample_records g where g.tenant_id = $1 and g.id = c.%1$I and g.kept_by is null))', w ->> 'column'), ' or '), 'true'),
            'case ' || string_agg(format(
              'when c.%1$I is not null and not exists (select from data.sample_records g where g.tenant_id = $1 and g.id = c.%1$I and g.kept_by is null) then jsonb_build_object(''place'', %2$L, ''id'', c.%1$I)',
              w ->> 'column', w ->> 'place'), ' ') || ' end'
          into stays, keeper from jsonb_array_elements(used.wholes) w;
        if used.has_id then
          stays := format('(%s) and not exists (select from data.sample_records g where g.tenant_id = $1 and g.id = c.id and g.kept_by is null)', stays);
          keeper := coalesce(keeper, format('jsonb_build_object(''place'', %L, ''id'', c.id)', used.child));
        end if;
        keeper := coalesce(keeper, format('jsonb_build_object(''place'', %L)', used.child));
        execute format('
          update data.sample_records s set kept_by = coalesce(
(select k.kept_by from data.sample_records k where k.tenant_id = $1 and k.id::text = u.keeper ->> ''id''), u.keeper, ''{}'')
          from (select distinct on (c.%1$I) c.%1$I as id, %2$s as keeper from %3$s c
            where c.tenant_id = $1 and c.%1$I is not null and exists (select from data.sample_records g where g.tenant_id = $1 and g.id = c.%1$I and g.kept_by is null) and %4$s) u
          where s.tenant_id = $1 and s.id = u.id and s.kept_by is null',
          used.child_column, keeper, used.child, stays) using tenant;
        get diagnostics changed = row_count;
        total := total + changed;
        if used.child_column = any(array['project_id', 'task_id', 'invoice_id', 'candidate_id', 'application_id', 'job_id']) and used.has_id then
          execute format('
            update data.sample_records s set kept_by = w.kept_by
            from %2$s c, data.sample_records w
            where c.tenant_id = $1 and s.tenant_id = $1 and s.id = c.id and s.kept_by is null
              and w.tenant_id = $1 and w.id = c.%1$I and w.kept_by is not null',
            used.child_column, used.child) using tenant;
          get diagnostics changed = row_count;
          total := total + changed;
        end if;
      end loop;
      execute $loose$
        update data.sample_records s set kept_by = coalesce(
(select k.kept_by from data.sample_records k where k.tenant_id = $1 and k.id::text = jsonb_strip_nulls(jsonb_build_object('place', l.place, 'object', l.object, 'id', l.by_id)) ->> 'id'), jsonb_strip_nulls(jsonb_build_object('place', l.place, 'object', l.object, 'id', l.by_id)), '{}')
        from (select s.source_id::text, s.invoice_id, 'data.finance_invoices', null from data.finance_invoice_sources s
   where s.tenant_id = $1 union all select v.value, v.record_id, null, v.object from data.custom_field_values v where v.tenant_id = $1 union all select e.candidate_id::text, e.id, 'data.people_employees', null from data.people_employees e
   where e.tenant_id = $1 and e.candidate_id is not null union all select e.mapping_id::text, e.id, 'data.people_employees', null from data.people_employees e
   where e.tenant_id = $1 and e.mapping_id is not null union all select t.related_id::text, t.id, 'data.work_tasks', null from data.work_tasks t
   where t.tenant_id = $1 and t.related_id is not null union all select c.template_id::text, c.subject_id, null, c.subject ->> 'object' from data.checklists c
   where c.tenant_id = $1 and c.template_id is not null union all select l ->> 'productId', t.id, 'data.sales_deals', null
   from data.sales_deals t, jsonb_array_elements(t.line_items) l where t.tenant_id = $1 and l ->> 'productId' is not null union all select l ->> 'productId', t.id, 'data.finance_invoices', null
   from data.finance_invoices t, jsonb_array_elements(t.line_items) l where t.tenant_id = $1 and l ->> 'productId' is not null union all select l ->> 'productId', t.id, 'data.finance_credit_notes', null
   from data.finance_credit_notes t, jsonb_array_elements(t.line_items) l where t.tenant_id = $1 and l ->> 'productId' is not null union all select a ->> 'invoiceId', t.id, 'data.finance_payments', null
   from data.finance_payments t, jsonb_array_elements(t.allocations) a
   where t.tenant_id = $1 and t.status = 'pending' union all select v #>> '{}', t.id, 'data.talent_mapping_templates', null
   from data.talent_mapping_templates t, jsonb_path_query(t.match, 'strict $.**') as v where t.tenant_id = $1 union all select v #>> '{}', t.id, 'data.talent_mapping_templates', null
   from data.talent_mapping_templates t, jsonb_path_query(t.defaults, 'strict $.**') as v where t.tenant_id = $1 union all select v #>> '{}', t.id, 'data.talent_mappings', null from data.talent_mappings t, jsonb_path_query(t.values, 'strict $.**') as v
   where t.tenant_id = $1 and t.status not in ('applied', 'cancelled') union all select v #>> '{}', a.target_id, null, a.target_object from data.home_approvals a, jsonb_path_query(a.input, 'strict $.**') as v
   where a.tenant_id = $1 and a.status in ('pending', 'approved')) l (used, by_id, place, object)
        where s.tenant_id = $1 and s.kept_by is null and s.id::text = l.used and not exists (select from data.sample_records g where g.tenant_id = $1 and g.id = l.by_id and g.kept_by is null) $loose$
        using tenant;
      get diagnostics changed = row_count;
      total := total + changed;
      exit when total = 0;
    end loop;
  end
$$;
