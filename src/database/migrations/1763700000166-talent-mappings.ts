import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Talent mappings, which make employees of hired candidates, and their templates. */
export class TalentMappings1763700000166 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.talent_mapping_templates (
        tenant_id uuid not null,
        id uuid not null,
        version integer not null check (version > 0),
        name text not null check (length(name) between 1 and 200),
        is_default boolean not null,
        match jsonb not null check (jsonb_typeof(match) = 'object'),
        defaults jsonb not null check (jsonb_typeof(defaults) = 'object'),
        field_map jsonb not null check (jsonb_typeof(field_map) = 'array'),
        onboarding_template_id uuid,
        create_membership boolean not null,
        copy_pay boolean not null,
        invite_days_before_start integer check (invite_days_before_start between 0 and 365),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        foreign key (tenant_id, onboarding_template_id) references data.settings_checklist_templates (tenant_id, id)
      )`);
    await runner.query(
      `create unique index talent_mapping_templates_default on data.talent_mapping_templates (tenant_id) where is_default`,
    );
    await runner.query(`create index talent_mapping_templates_checklist_idx
      on data.talent_mapping_templates (tenant_id, onboarding_template_id) where onboarding_template_id is not null`);
    await tenantTable(runner, 'data.talent_mapping_templates', { grant: 'select, insert, update, delete' });
    await runner.query(`
      create table data.talent_mappings (
        tenant_id uuid not null,
        id uuid not null,
        version integer not null check (version > 0),
        candidate_id uuid not null,
        application_id uuid not null,
        template_id uuid,
        status text not null check (status in ('draft', 'ready', 'applying', 'applied', 'failed', 'cancelled')),
        values jsonb not null check (jsonb_typeof(values) = 'object'),
        start_date date,
        missing jsonb not null check (jsonb_typeof(missing) = 'array'),
        steps jsonb not null check (jsonb_typeof(steps) = 'array'),
        employee_id uuid,
        invitation_id uuid,
        applied_by jsonb,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        foreign key (tenant_id, candidate_id) references data.talent_candidates (tenant_id, id) on delete cascade,
        foreign key (tenant_id, application_id) references data.talent_applications (tenant_id, id) on delete cascade,
        foreign key (tenant_id, template_id) references data.talent_mapping_templates (tenant_id, id)
          on delete set null (template_id),
        foreign key (tenant_id, employee_id) references data.people_employees (tenant_id, id)
          on delete set null (employee_id),
        foreign key (tenant_id, invitation_id) references data.invitations (tenant_id, id)
          on delete set null (invitation_id)
      )`);
    await runner.query(`
      create unique index talent_mappings_live_key on data.talent_mappings (tenant_id, application_id)
        where status <> 'cancelled'`);
    const indexes = {
      created: '(tenant_id, created_at desc, id desc)',
      status: '(tenant_id, status, created_at desc, id desc)',
      candidate: '(tenant_id, candidate_id, created_at desc, id desc)',
      start: '(tenant_id, start_date)',
      application: '(tenant_id, application_id)',
      template: '(tenant_id, template_id) where template_id is not null',
      employee: '(tenant_id, employee_id) where employee_id is not null',
      invitation: '(tenant_id, invitation_id) where invitation_id is not null',
    };
    for (const [name, columns] of Object.entries(indexes))
      await runner.query(`create index talent_mappings_${name}_idx on data.talent_mappings ${columns}`);
    await tenantTable(runner, 'data.talent_mappings', { grant: 'select, insert, update, delete' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
