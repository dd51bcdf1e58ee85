import type { MigrationInterface, QueryRunner } from 'typeorm';

const FILES = 'data.documents_files (tenant_id, id)';

/** Attachments name files; older ones stay links. Candidates name their resume. */
export class AttachedFiles1763700000372 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.attachments add column file_id uuid,
        add constraint attachments_file_id_fkey foreign key (tenant_id, file_id) references ${FILES}`);
    await runner.query(
      `create index attachments_file_idx on data.attachments (tenant_id, file_id) where file_id is not null`,
    );
    await runner.query(`
      alter table data.talent_candidates add column resume_file_id uuid,
        add constraint talent_candidates_resume_file_id_fkey foreign key (tenant_id, resume_file_id)
          references ${FILES}`);
    await runner.query(`
      create index talent_candidates_resume_file_idx on data.talent_candidates (tenant_id, resume_file_id)
        where resume_file_id is not null`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
