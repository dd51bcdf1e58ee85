import type { MigrationInterface, QueryRunner } from 'typeorm';
import { workerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** The removal of sample data regards references in JSON, and names the records that keep others. ADR 0060. */
export class SampleRemoval1763700000194 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { system } = migrationRoles();
    await runner.query(`grant delete on data.sales_handoffs to ${system}`);
    // Deals, projects and handoffs name each other, so they can be loaded in one order only if these are deferred.
    for (const [table, column] of [
      ['sales_deals', 'handoff_id'],
      ['sales_deals', 'project_id'],
      ['work_projects', 'handoff_id'],
    ])
      await runner.query(`alter table data.${table} alter constraint ${table}_${column}_fkey deferrable`);
    await references(runner);
    await findKept(runner);
    await removal(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** Statistics do not know rows that were just loaded, so nested loops over them would look cheap and take minutes. */
const NO_LOOPS = 'set enable_nestloop = off';

/** SQL condition: the id is that of a sample record that is to be removed. */
const goes = (id: string) =>
  `exists (select from data.sample_records g where g.tenant_id = $1 and g.id = ${id} and g.kept_by is null)`;

/** SQL: the record of the tenant itself, if the keeper is a sample record that stays because of it. */
const ownKeeper = (keeper: string) => `coalesce(
  (select k.kept_by from data.sample_records k where k.tenant_id = $1 and k.id::text = ${keeper} ->> 'id'), ${keeper}, '{}')`;

/** Objects of the tenant's own that keep the records they refer to, although they go with these when these are purged. */
const OWN = `'data.sales_handoffs'::regclass, 'data.talent_mappings'::regclass`;

/**
 * A reference that becomes null when its record is purged does not keep the record, unless it names a template, without
 * which something else would come of it. Checklists go with their subjects, so LOOSE has their references.
 */
async function references(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create or replace function data.references_to_records() returns table
      (child_id oid, child text, child_column text, parent text, goes_along boolean)
      language sql stable set search_path = pg_catalog as $$
      select c.conrelid::oid, c.conrelid::regclass::text, ca.attname::text, c.confrelid::regclass::text,
        c.confdeltype = 'c' and c.conrelid not in (${OWN})
      from pg_constraint c cross join unnest(c.conkey, c.confkey) as k (child_key, parent_key)
        join pg_attribute pa on pa.attrelid = c.confrelid and pa.attnum = k.parent_key and pa.attname = 'id'
        join pg_attribute ca on ca.attrelid = c.conrelid and ca.attnum = k.child_key
      where c.contype = 'f' and c.connamespace = 'data'::regnamespace
        and (c.confdeltype <> 'n' or ca.attname like '%template_id') and c.conrelid <> 'data.checklists'::regclass $$`);
}

/** A JSON column that may name records, at any depth. */
const inJson = (column: string) => `jsonb_path_query(${column}, 'strict $.**') as v`;

/** References without a foreign key: the id, the record that refers to it, and the table or type of that record. */
const LOOSE = [
  `select s.source_id::text, s.invoice_id, 'data.finance_invoices', null from data.finance_invoice_sources s
     where s.tenant_id = $1`,
  `select v.value, v.record_id, null, v.object from data.custom_field_values v where v.tenant_id = $1`,
  ...['candidate_id', 'mapping_id'].map(
    (column) => `select e.${column}::text, e.id, 'data.people_employees', null from data.people_employees e
     where e.tenant_id = $1 and e.${column} is not null`,
  ),
  `select t.related_id::text, t.id, 'data.work_tasks', null from data.work_tasks t
     where t.tenant_id = $1 and t.related_id is not null`,
  `select c.template_id::text, c.subject_id, null, c.subject ->> 'object' from data.checklists c
     where c.tenant_id = $1 and c.template_id is not null`,
  ...['data.sales_deals', 'data.finance_invoices', 'data.finance_credit_notes'].map(
    (table) => `select l ->> 'productId', t.id, '${table}', null
     from ${table} t, jsonb_array_elements(t.line_items) l where t.tenant_id = $1 and l ->> 'productId' is not null`,
  ),
  `select a ->> 'invoiceId', t.id, 'data.finance_payments', null
     from data.finance_payments t, jsonb_array_elements(t.allocations) a
     where t.tenant_id = $1 and t.status = 'pending'`,
  ...['match', 'defaults'].map(
    (column) => `select v #>> '{}', t.id, 'data.talent_mapping_templates', null
     from data.talent_mapping_templates t, ${inJson(`t.${column}`)} where t.tenant_id = $1`,
  ),
  `select v #>> '{}', t.id, 'data.talent_mappings', null from data.talent_mappings t, ${inJson('t.values')}
     where t.tenant_id = $1 and t.status not in ('applied', 'cancelled')`,
  `select v #>> '{}', a.target_id, null, a.target_object from data.home_approvals a, ${inJson('a.input')}
     where a.tenant_id = $1 and a.status in ('pending', 'approved')`,
].join(' union all ');
const LOOSE_KEEPER = `jsonb_strip_nulls(jsonb_build_object('place', l.place, 'object', l.object, 'id', l.by_id))`;

/** Columns with which a record is a part of another one. The figures of a record that stays depend on its parts. */
const PART_OF = ['project_id', 'task_id', 'invoice_id', 'candidate_id', 'application_id', 'job_id'];

/**
 * Marks the sample records that have to stay, until there are no more: those to which a row refers that stays, and the
 * parts of records that stay. A row that goes with other records stays if one of these stays.
 */
async function findKept(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create or replace function data.find_kept_sample_records(tenant uuid) returns void language plpgsql
      set search_path = pg_catalog ${NO_LOOPS} as $$
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
          select coalesce(string_agg(format('(c.%1$I is not null and not ${goes('c.%1$I')})', w ->> 'column'), ' or '), 'true'),
              'case ' || string_agg(format(
                'when c.%1$I is not null and not ${goes('c.%1$I')} then jsonb_build_object(''place'', %2$L, ''id'', c.%1$I)',
                w ->> 'column', w ->> 'place'), ' ') || ' end'
            into stays, keeper from jsonb_array_elements(used.wholes) w;
          if used.has_id then
            stays := format('(%s) and not ${goes('c.id')}', stays);
            keeper := coalesce(keeper, format('jsonb_build_object(''place'', %L, ''id'', c.id)', used.child));
          end if;
          keeper := coalesce(keeper, format('jsonb_build_object(''place'', %L)', used.child));
          execute format('
            update data.sample_records s set kept_by = ${ownKeeper('u.keeper').replaceAll(`'`, `''`)}
            from (select distinct on (c.%1$I) c.%1$I as id, %2$s as keeper from %3$s c
              where c.tenant_id = $1 and c.%1$I is not null and ${goes('c.%1$I')} and %4$s) u
            where s.tenant_id = $1 and s.id = u.id and s.kept_by is null',
            used.child_column, keeper, used.child, stays) using tenant;
          get diagnostics changed = row_count;
          total := total + changed;
          if used.child_column = any(array[${PART_OF.map((column) => `'${column}'`).join(', ')}]) and used.has_id then
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
          update data.sample_records s set kept_by = ${ownKeeper(LOOSE_KEEPER)}
          from (${LOOSE}) l (used, by_id, place, object)
          where s.tenant_id = $1 and s.kept_by is null and s.id::text = l.used and not ${goes('l.by_id')} $loose$
          using tenant;
        get diagnostics changed = row_count;
        total := total + changed;
        exit when total = 0;
      end loop;
    end $$`);
}

/** Rows about records, which go with them. */
const TRACES = [
  ['comments', 'record_id'],
  ['attachments', 'record_id'],
  ['record_links', 'record_id'],
  ['record_watchers', 'record_id'],
  ['record_tags', 'record_id'],
  ['external_refs', 'record_id'],
  ['custom_field_values', 'record_id'],
  ['record_transitions', 'record_id'],
  ['notifications', 'subject_id'],
  ['resource_grants', 'object_id'],
  ['public_links', 'target_id'],
  ['ai_job_targets', 'record_id'],
  ['home_approvals', 'id'],
] as const;

const GONE_RECORDS = `select r.id from data.sample_records r where r.tenant_id = $1 and r.kept_by is null`;
const GONE = 'select g.id from gone g';
const GONE_TEXT = 'select g.id::text from gone g';

/**
 * The function runs with the rights of the worker, which may delete records, so row-level security keeps it in the
 * tenant. Metrics that were recorded while the tenant had sample data are deleted, because they counted it.
 */
async function removal(runner: QueryRunner): Promise<void> {
  const traces = TRACES.map(
    ([table, column]) =>
      `${table}_of as (delete from data.${table} t where t.tenant_id = $1 and t.${column} in (${GONE}))`,
  );
  await runner.query('drop function data.remove_sample_data(timestamptz)'); // another role owns it
  await runner.query(`
    create function data.remove_sample_data(loaded_at timestamptz) returns void language plpgsql security definer
      set search_path = pg_catalog ${NO_LOOPS} as $$
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
      execute 'delete from data.checklists c where c.tenant_id = $1 and c.subject_id in (${GONE_RECORDS})' using tenant;
      for side in
        with known as materialized (select * from data.references_to_records())
        select format('delete from %s c where c.tenant_id = $1 and c.%I in (${GONE_RECORDS})', w.child, w.child_column)
        from known w where w.goes_along
          and w.parent in (select distinct s.place from data.sample_records s where s.tenant_id = tenant)
          and exists (select from known k where k.child = w.child and not k.goes_along)
          and has_table_privilege(w.child, 'delete')
      loop
        execute side using tenant;
      end loop;
      -- One statement, so that records can refer to each other: foreign keys are checked at its end.
      select string_agg(
          format('%I as (delete from %s t where t.tenant_id = $1 and t.id in (${GONE_RECORDS}))', p.place, p.place), ', ')
        into deletions
        from (select distinct s.place from data.sample_records s where s.tenant_id = tenant) p;
      if deletions is null then return; end if;
      execute format('with %s select', deletions) using tenant;
      -- Approvals of actions on records that are gone are gone with what is about them.
      execute $traces$ with gone as materialized (${GONE_RECORDS} union all
          select a.id from data.home_approvals a where a.tenant_id = $1 and a.target_id in (${GONE_RECORDS})),
        ${traces.join(', ')},
        other_links as (delete from data.record_links t where t.tenant_id = $1 and t.other_id in (${GONE})
          and t.record_id not in (${GONE})),
        runs as (delete from data.automation_runs t where t.tenant_id = $1
          and (t.key in (${GONE_TEXT}) or t.subject_id in (${GONE_TEXT}))),
        entries as (delete from data.finance_ledger_entries t where t.tenant_id = $1 and t.sample and t.source_id in (${GONE}))
        select $traces$ using tenant;
      with days as (
        delete from data.metric_snapshots m where m.tenant_id = tenant and m.recorded_at >= loaded_at returning m.date)
      delete from data.metric_anomalies a using days where a.tenant_id = tenant and a.date = days.date;
      delete from data.sample_records s where s.tenant_id = tenant and s.kept_by is null;
    end $$`);
  await workerFunction(runner, 'data.remove_sample_data(timestamptz)');
}
