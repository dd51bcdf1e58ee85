import type { MigrationInterface, QueryRunner } from 'typeorm';
import { alphabetIndex } from '#libs/database/alphabet.js';
import { tenantTable } from '#libs/database/tenant-table.js';

const GOVERNED = `
  tenant_id uuid not null,
  id uuid not null,
  version integer not null check (version > 0),
  name text not null check (length(name) between 1 and 200),`;
const STAMPS = `
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)`;
const STATUSES = ['draft', 'submitted', 'returned', 'accepted', 'executing', 'failed', 'completed', 'cancelled'];

/** Handoffs of deals to delivery, their templates, and won deals for which none was created. */
export class SalesHandoff1763700000162 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await templates(runner);
    await handoffs(runner);
    await runner.query(`
      create table data.sales_handoff_skips (
        tenant_id uuid not null,
        deal_id uuid not null,
        at timestamptz(3) not null,
        primary key (tenant_id, deal_id),
        foreign key (tenant_id, deal_id) references data.sales_deals (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'data.sales_handoff_skips', { grant: 'select, insert, update, delete' });
    await runner.query(`
      alter table data.sales_deals
        add column handoff_id uuid,
        add column project_id uuid,
        add constraint sales_deals_handoff_id_fkey foreign key (tenant_id, handoff_id)
          references data.sales_handoffs (tenant_id, id) on delete set null (handoff_id),
        add constraint sales_deals_project_id_fkey foreign key (tenant_id, project_id)
          references data.work_projects (tenant_id, id) on delete set null (project_id)`);
    await runner.query(`
      alter table data.work_projects
        add column handoff_id uuid,
        add constraint work_projects_handoff_id_fkey foreign key (tenant_id, handoff_id)
          references data.sales_handoffs (tenant_id, id) on delete set null (handoff_id)`);
    for (const [table, column] of [
      ['sales_deals', 'handoff_id'],
      ['sales_deals', 'project_id'],
      ['work_projects', 'handoff_id'],
    ])
      await runner.query(
        `create index ${table}_${column}_idx on data.${table} (tenant_id, ${column}) where ${column} is not null`,
      );
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function templates(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.sales_handoff_templates (${GOVERNED}
      is_default boolean not null,
      match jsonb not null check (jsonb_typeof(match) = 'object'),
      items jsonb not null check (jsonb_typeof(items) = 'array'),
      required_fields jsonb not null check (jsonb_typeof(required_fields) = 'array'),
      project_template_id uuid,
      delivery_owner_rule jsonb not null check (jsonb_typeof(delivery_owner_rule) = 'object'),
      deposit_percent integer not null check (deposit_percent between 0 and 100),
      due_in_days integer not null check (due_in_days between 0 and 3650),
      ${STAMPS},
      foreign key (tenant_id, project_template_id) references data.work_project_templates (tenant_id, id)
        on delete set null (project_template_id)
    )`);
  await runner.query(`create unique index sales_handoff_templates_is_default_key
    on data.sales_handoff_templates (tenant_id) where is_default`);
  await runner.query(`create index sales_handoff_templates_project_template_idx
    on data.sales_handoff_templates (tenant_id, project_template_id)`);
  await tenantTable(runner, 'data.sales_handoff_templates', { grant: 'select, insert, update, delete' });
}

async function handoffs(runner: QueryRunner): Promise<void> {
  const table = 'data.sales_handoffs';
  await runner.query(`
    create table ${table} (${GOVERNED}
      deal_id uuid not null,
      account_id uuid,
      workspace_id uuid,
      owner_id uuid,
      delivery_owner_id uuid,
      template_id uuid,
      status text not null check (status in (${STATUSES.map((status) => `'${status}'`).join(', ')})),
      due_at timestamptz(3),
      summary jsonb not null check (jsonb_typeof(summary) = 'object'),
      required_fields jsonb not null check (jsonb_typeof(required_fields) = 'array'),
      project_template_id uuid,
      deposit_percent integer not null check (deposit_percent between 0 and 100),
      checklist_id uuid,
      project_id uuid,
      invoice_id uuid,
      return_reason text,
      return_count integer not null check (return_count >= 0),
      submitted_at timestamptz(3),
      submitted_by jsonb,
      submitted_by_person uuid,
      accepted_at timestamptz(3),
      accepted_by jsonb,
      completed_at timestamptz(3),
      steps jsonb not null check (jsonb_typeof(steps) = 'array'),
      ${STAMPS},
      check ((status = 'completed') = (completed_at is not null)),
      foreign key (tenant_id, deal_id) references data.sales_deals (tenant_id, id) on delete cascade,
      foreign key (tenant_id, account_id) references data.sales_accounts (tenant_id, id),
      foreign key (tenant_id, workspace_id) references data.workspaces (tenant_id, id),
      foreign key (tenant_id, owner_id) references data.memberships (tenant_id, id),
      foreign key (tenant_id, delivery_owner_id) references data.memberships (tenant_id, id),
      foreign key (tenant_id, template_id) references data.sales_handoff_templates (tenant_id, id)
        on delete set null (template_id),
      foreign key (tenant_id, project_template_id) references data.work_project_templates (tenant_id, id)
        on delete set null (project_template_id),
      foreign key (tenant_id, checklist_id) references data.checklists (tenant_id, id)
        on delete set null (checklist_id),
      foreign key (tenant_id, project_id) references data.work_projects (tenant_id, id)
        on delete set null (project_id),
      foreign key (tenant_id, invoice_id) references data.finance_invoices (tenant_id, id)
        on delete set null (invoice_id)
    )`);
  await tenantTable(runner, table, { grant: 'select, insert, update' });
  await runner.query(
    `create unique index sales_handoffs_one_live on ${table} (tenant_id, deal_id) where status <> 'cancelled'`,
  );
  await runner.query(`create index sales_handoffs_time_idx on ${table} (tenant_id, created_at desc, id desc)`);
  await runner.query(`create index sales_handoffs_status_idx on ${table} (tenant_id, status, due_at)`);
  await alphabetIndex(runner, table, 'name');
  const columns = ['deal_id', 'account_id', 'owner_id', 'delivery_owner_id', 'template_id', 'project_template_id'];
  for (const column of [...columns, 'checklist_id', 'project_id', 'invoice_id'])
    await runner.query(
      `create index sales_handoffs_${column}_idx on ${table} (tenant_id, ${column}, created_at desc, id desc)`,
    );
}
