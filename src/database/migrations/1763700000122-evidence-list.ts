import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the list of bundles shows, computed from each stored bundle. */
export class EvidenceList1763700000122 implements MigrationInterface {
  name = 'EvidenceList1763700000122';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.evidence_bundles
        add column period jsonb not null generated always as (bundle::jsonb -> 'period') stored,
        add column summary jsonb not null generated always as (bundle::jsonb -> 'summary') stored,
        add column key_id text not null generated always as (bundle::jsonb #>> '{signature,keyId}') stored`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
