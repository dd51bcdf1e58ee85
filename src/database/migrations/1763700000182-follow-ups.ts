import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The record that a task follows up, and the checklist of projects that start from a template. */
export class FollowUps1763700000182 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.work_tasks add column related_object text, add column related_id uuid,
        add check (num_nulls(related_object, related_id) in (0, 2))`);
    await runner.query(`
      create index work_tasks_related_id_filter_idx on data.work_tasks
        (tenant_id, related_id, created_at desc, id desc)`);
    await runner.query(`
      alter table data.work_project_templates add column checklist_template_id uuid,
        add constraint work_project_templates_checklist_template_id_fkey foreign key (tenant_id, checklist_template_id)
          references data.settings_checklist_templates (tenant_id, id)`);
    await runner.query(`
      create index work_project_templates_checklist_template_idx on data.work_project_templates
        (tenant_id, checklist_template_id) where checklist_template_id is not null`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
