import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows that exist only as a part of a record go with it: child table and the column that names the record. */
const GO_WITH_RECORD: readonly (readonly [table: string, column: string])[] = [
  ['ai_calls', 'job_id'],
  ['ai_job_targets', 'job_id'],
  ['ai_prompt_versions', 'prompt_id'],
  ['ai_queue', 'job_id'],
  ['finance_invoice_sources', 'invoice_id'],
  ['finance_payment_allocations', 'invoice_id'],
  ['finance_payment_allocations', 'payment_id'],
  ['intelligence_agent_versions', 'agent_id'],
  ['people_employments', 'employee_id'],
  ['people_time_off_ledger', 'employee_id'],
  ['people_time_off_ledger', 'time_off_id'],
  ['sales_account_roles', 'account_id'],
  ['sales_contact_emails', 'contact_id'],
  ['sales_deal_contacts', 'deal_id'],
  ['sales_pipeline_stages', 'pipeline_id'],
  ['talent_candidate_skills', 'candidate_id'],
  ['talent_interview_people', 'interview_id'],
  ['work_project_members', 'project_id'],
  ['work_task_assignees', 'task_id'],
  ['work_task_blockers', 'task_id'],
];

/** Records can be deleted for good; foreign keys say what goes with them, and what keeps them. */
export class Purging1763700000092 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, column] of GO_WITH_RECORD) await renewKey(runner, table, column, 'on delete cascade');
    await runner.query(`
      alter table data.people_skills add foreign key (tenant_id, employee_id)
        references data.people_employees (tenant_id, id) on delete cascade`);
    await renewKey(runner, 'invitations', 'employee_id', 'on delete set null (employee_id)');
    // The ledger is kept longer than invoices.
    await renewKey(runner, 'finance_ledger_entries', 'invoice_id', null);
    await letVersionsGo(runner, 'guard_agent_version', {
      parent: 'intelligence_agents',
      column: 'agent_id',
      what: 'agents',
    });
    await letVersionsGo(runner, 'guard_ai_prompt_versions', {
      parent: 'ai_prompts',
      column: 'prompt_id',
      what: 'prompts',
    });
    await forgetAllocations(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** Replaces the foreign key of a column by one with another action; null only drops it. */
async function renewKey(runner: QueryRunner, table: string, column: string, action: string | null): Promise<void> {
  const keys = (await runner.query(
    `select c.conname as name, pg_get_constraintdef(c.oid) as definition from pg_constraint c
     where c.contype = 'f' and c.conrelid = 'data.${table}'::regclass and $1 = any(
       select a.attname from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any(c.conkey))`,
    [column],
  )) as { name: string; definition: string }[];
  if (keys.length !== 1) throw new Error(`data.${table} has ${keys.length} foreign keys with ${column}.`);
  const [{ name, definition }] = keys as [{ name: string; definition: string }];
  await runner.query(`alter table data.${table} drop constraint ${name}`);
  if (action) await runner.query(`alter table data.${table} add constraint ${name} ${definition} ${action}`);
}

/** Versions never change, but go with the record that they are versions of. */
async function letVersionsGo(
  runner: QueryRunner,
  name: string,
  { parent, column, what }: { parent: string; column: string; what: string },
): Promise<void> {
  await runner.query(`
    create or replace function data.${name}() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if tg_op = 'DELETE' and not exists (
          select from data.${parent} p where p.tenant_id = old.tenant_id and p.id = old.${column}) then
        return old;
      end if;
      raise exception 'versions of ${what} never change' using errcode = '23514';
    end $$`);
}

/** The sums of a payment and an invoice no longer have to match once one of them was deleted for good. */
async function forgetAllocations(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create or replace function data.check_allocations() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      row jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
      tenant uuid := (row ->> 'tenant_id')::uuid;
      payment uuid := case tg_argv[0] when 'allocation' then (row ->> 'payment_id')::uuid
        when 'payment' then (row ->> 'id')::uuid end;
      invoice uuid := case tg_argv[0] when 'allocation' then (row ->> 'invoice_id')::uuid
        when 'invoice' then (row ->> 'id')::uuid end;
    begin
      if tg_op = 'DELETE' and (
          not exists (select from data.finance_payments p where p.tenant_id = tenant and p.id = payment)
          or not exists (select from data.finance_invoices i where i.tenant_id = tenant and i.id = invoice)) then
        return null;
      end if;
      if payment is not null and exists (
        select from data.finance_payments p where p.tenant_id = tenant and p.id = payment and p.allocated_minor <>
          (select coalesce(sum(a.amount_minor), 0) from data.finance_payment_allocations a
            where a.tenant_id = tenant and a.payment_id = payment)) then
        raise exception 'the allocations of payment % do not add up', payment using errcode = 'TOP06';
      end if;
      if invoice is not null and exists (
        select from data.finance_invoices i where i.tenant_id = tenant and i.id = invoice and i.amount_paid_minor <>
          (select coalesce(sum(a.amount_minor), 0) from data.finance_payment_allocations a
            where a.tenant_id = tenant and a.invoice_id = invoice)) then
        raise exception 'the payments of invoice % do not add up', invoice using errcode = 'TOP06';
      end if;
      return null;
    end $$`);
}
