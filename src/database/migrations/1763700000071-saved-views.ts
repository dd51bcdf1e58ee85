import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Lists as people want to see them. */
export class SavedViews1763700000071 implements MigrationInterface {
  name = 'SavedViews1763700000071';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.saved_views (
        tenant_id uuid not null,
        id uuid not null,
        name text not null check (length(name) between 1 and 200),
        record_type text not null check (length(record_type) between 3 and 60),
        filter jsonb not null check (jsonb_typeof(filter) = 'object'),
        sort jsonb not null check (jsonb_typeof(sort) = 'array'),
        columns jsonb not null check (jsonb_typeof(columns) = 'array'),
        shared text not null check (shared in ('private', 'workspace', 'tenant')),
        workspace_id uuid,
        owner_id uuid not null,
        created_by jsonb not null,
        archived_at timestamptz(3),
        version integer not null default 1 check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint saved_views_shared check ((shared = 'workspace') = (workspace_id is not null)),
        constraint saved_views_workspace_fkey foreign key (tenant_id, workspace_id)
          references data.workspaces (tenant_id, id)
      )`);
    await tenantTable(runner, 'data.saved_views', { grant: 'select, insert, update, delete' });
    await runner.query(`create index saved_views_workspace_idx on data.saved_views (tenant_id, workspace_id)
      where workspace_id is not null`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
