import type { MigrationInterface, QueryRunner } from 'typeorm';

const MOST = '9007199254740991';
const TABLES = ['data.work_projects', 'data.finance_invoices', 'data.finance_credit_notes'];

/** SQL of the net total that is invoiced for a project in a currency; null beyond the range of exact numbers. */
const invoiced = (tenant: string, project: string, currency: string): string => `(
  select case when abs(x.total) <= ${MOST} then x.total end from (
    select coalesce(sum(i.net_minor - coalesce(n.net, 0)), 0) as total
    from data.finance_invoices i
    left join lateral (
      select sum(c.total_minor - c.tax_minor) as net from data.finance_credit_notes c
      where c.tenant_id = i.tenant_id and c.invoice_id = i.id and c.status in ('issued', 'applied')) n on true
    where i.tenant_id = ${tenant} and i.project_id = ${project} and i.currency = ${currency}
      and i.status not in ('draft', 'void') and i.deleted_at is null) x)`;

/** Figures of a project that only triggers write. */
const FIGURES = [
  'backlog_tasks',
  'unstarted_tasks',
  'started_tasks',
  'done_tasks',
  'cancelled_tasks',
  'estimated_tasks',
  'estimate_minutes',
  'done_estimate_minutes',
  'milestones',
  'open_milestones',
  'unaccepted_milestones',
  'next_milestone_date',
  'spent_minutes',
  'spent_minor',
  'unbilled_minutes',
  'unbilled_minor',
  'approved_entries',
  'invoiced_minor',
];

/** PL/pgSQL: more than a percentage of a budget is spent. Must agree with `budgetsOf` in project.figures.ts. */
const uses = (percent: number): string => `new.billing_model <> 'retainer' and (
  coalesce(used_minor * 100 > new.budget_minor::numeric * ${percent}, false)
    or coalesce(new.spent_minutes * 100 > new.budget_minutes::bigint * ${percent}, false))`;

/** Projects store what has been invoiced for them. With time and materials, it counts as spent of the budget. */
export class InvoicedProjects1763700000176 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.work_projects add column invoiced_minor bigint default 0`);
    await health(runner);
    await fill(runner);
    await keep(runner);
    await count(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** As before, except for what is spent of a budget. */
async function health(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create or replace function data.keep_project_progress() returns trigger language plpgsql
      set search_path = pg_catalog as $$
    declare whole bigint; part bigint; ended_on date; held integer; pace_on date; used_minor numeric;
    begin
      if new.progress_method = 'milestones' then
        whole := new.milestones;
        part := new.milestones - new.open_milestones;
      elsif new.progress_method = 'tasks' then
        whole := new.backlog_tasks + new.unstarted_tasks + new.started_tasks + new.done_tasks;
        part := new.done_tasks;
        if new.estimated_tasks = whole then
          whole := new.estimate_minutes;
          part := new.done_estimate_minutes;
        end if;
      end if;
      if new.progress_method <> 'manual' then
        new.progress_percent := case when whole = 0 then 0 else div(part::numeric * 1000000, whole) end;
      end if;
      used_minor := new.spent_minor;
      if new.billing_model = 'time_and_materials' then
        used_minor := greatest(used_minor, coalesce(new.invoiced_minor, ${MOST}));
      end if;
      held := (new.held_seconds / 86400)::integer;
      ended_on := (coalesce(new.completed_at, new.cancelled_at, new.held_at) at time zone 'UTC')::date;
      new.off_track_on := case when ${uses(100)} then '-infinity'::date
        else coalesce(new.target_date + held + 1, 'infinity') end;
      if new.status in ('active', 'on_hold') and new.progress_percent > 0 then
        pace_on := new.start_date + held + 1
          + (new.progress_percent::bigint * (new.target_date - new.start_date) / 1000000)::integer;
      end if;
      new.at_risk_on := case when ${uses(85)} then '-infinity'::date
        else coalesce(least(new.next_milestone_date + 1, pace_on), 'infinity') end;
      if ended_on is not null then
        new.off_track_on := case when new.off_track_on <= ended_on then '-infinity'::date else 'infinity' end;
        new.at_risk_on := case when new.at_risk_on <= ended_on then '-infinity'::date else 'infinity' end;
      end if;
      if new.off_track_on = '-infinity' then
        new.at_risk_on := 'infinity';
      end if;
      return new;
    end $$`);
}

async function fill(runner: QueryRunner): Promise<void> {
  // The owner is subject to row-level security too, and a migration has no tenant.
  for (const table of TABLES) await runner.query(`alter table ${table} no force row level security`);
  await runner.query(`
    update data.work_projects p set invoiced_minor = ${invoiced('p.tenant_id', 'p.id', 'p.currency')}
      where p.billing_model = 'retainer' or exists (select from data.finance_invoices i
        where i.tenant_id = p.tenant_id and i.project_id = p.id and i.status not in ('draft', 'void'))`);
  for (const table of TABLES) await runner.query(`alter table ${table} force row level security`);
}

async function keep(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create or replace function data.keep_project_figures() returns trigger language plpgsql
      set search_path = pg_catalog as $$
    begin ${FIGURES.map((column) => `new.${column} := old.${column};`).join(' ')} return new; end $$`);
  // Runs after a_figures.
  await runner.query(`
    create function data.sum_invoices_anew() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      new.invoiced_minor := ${invoiced('new.tenant_id', 'new.id', 'new.currency')};
      return new;
    end $$`);
  await runner.query(`
    create trigger a_invoiced before update on data.work_projects for each row
      when (new.currency <> old.currency) execute function data.sum_invoices_anew()`);
}

/** The lock lets concurrent changes of invoices of a project follow each other, so that each sum sees those before it. */
async function count(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.sum_invoices() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      project uuid;
    begin
      if tg_table_name = 'finance_invoices' then
        project := new.project_id;
      else
        select i.project_id into project from data.finance_invoices i
          where i.tenant_id = new.tenant_id and i.id = new.invoice_id;
      end if;
      if project is not null then
        perform from data.work_projects where tenant_id = new.tenant_id and id = project for no key update;
        update data.work_projects p set invoiced_minor = ${invoiced('p.tenant_id', 'p.id', 'p.currency')}
          where p.tenant_id = new.tenant_id and p.id = project;
      end if;
      return null;
    end $$`);
  await runner.query(`
    create trigger sum_of_project after update on data.finance_invoices for each row
      when (new.project_id is not null and (old.status in ('draft', 'void')) <> (new.status in ('draft', 'void')))
      execute function data.sum_invoices()`);
  await runner.query(`
    create trigger sum_of_project after update on data.finance_credit_notes for each row
      when ((old.status in ('issued', 'applied')) <> (new.status in ('issued', 'applied')))
      execute function data.sum_invoices()`);
}
