import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Bundles of compliance evidence, as they were signed. ADR 0052. */
export class Evidence1763700000100 implements MigrationInterface {
  name = 'Evidence1763700000100';

  async up(runner: QueryRunner): Promise<void> {
    // bundle and archive are served as stored: their bytes are what was signed.
    await runner.query(`
      create table data.evidence_bundles (
        tenant_id uuid not null,
        id uuid not null,
        framework text not null check (length(framework) between 1 and 40),
        previous_id uuid,
        content_hash bytea not null check (length(content_hash) = 32),
        root_hash text not null check (root_hash ~ '^[0-9a-f]{64}$'),
        bundle text not null,
        archive bytea not null,
        created_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint evidence_bundles_previous_fkey foreign key (tenant_id, previous_id)
          references data.evidence_bundles (tenant_id, id)
      )`);
    await tenantTable(runner, 'data.evidence_bundles', { grant: 'select, insert' });
    await runner.query(`
      create trigger append_only before update or delete on data.evidence_bundles
        for each row execute function data.refuse_change()`);
    await runner.query(`
      create trigger append_only_all before truncate on data.evidence_bundles
        for each statement execute function data.refuse_change()`);
    await runner.query(
      `create index evidence_bundles_time_idx on data.evidence_bundles (tenant_id, created_at desc, id desc)`,
    );
    await runner.query(
      `create index evidence_bundles_previous_idx on data.evidence_bundles (tenant_id, previous_id) where previous_id is not null`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
