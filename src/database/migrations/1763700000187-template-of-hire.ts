import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The template of talent mappings that a hire names. */
export class TemplateOfHire1763700000187 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.talent_applications add column mapping_template_id uuid,
        add constraint talent_applications_mapping_template_id_fkey foreign key (tenant_id, mapping_template_id)
          references data.talent_mapping_templates (tenant_id, id) on delete set null (mapping_template_id)`);
    await runner.query(`
      create index talent_applications_mapping_template_idx on data.talent_applications
        (tenant_id, mapping_template_id) where mapping_template_id is not null`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
