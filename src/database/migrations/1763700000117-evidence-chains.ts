import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The requested controls of a bundle, because bundles with the same framework and controls form a chain. */
export class EvidenceChains1763700000117 implements MigrationInterface {
  name = 'EvidenceChains1763700000117';

  async up(runner: QueryRunner): Promise<void> {
    // Null for all controls, and for older bundles.
    await runner.query(`alter table data.evidence_bundles add column controls text[]`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
