import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Announcements, and the favourites and layout that people choose for their home page. */
export class Home1763700000159 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.home_pages (
        tenant_id uuid not null,
        id uuid not null,
        version integer not null check (version > 0),
        favourites jsonb not null check (jsonb_typeof(favourites) = 'array'),
        layout jsonb not null check (jsonb_typeof(layout) = 'array'),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint home_pages_id_fkey foreign key (tenant_id, id) references data.memberships (tenant_id, id)
      )`);
    await tenantTable(runner, 'data.home_pages', { grant: 'select, insert, update' });
    await runner.query(`
      create table data.home_announcements (
        tenant_id uuid not null,
        id uuid not null,
        version integer not null check (version > 0),
        title text not null check (length(title) between 1 and 200),
        body text not null check (length(body) between 1 and 10000),
        until timestamptz(3),
        workspace_id uuid,
        created_by jsonb not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint home_announcements_workspace_id_fkey foreign key (tenant_id, workspace_id)
          references data.workspaces (tenant_id, id)
      )`);
    await runner.query(
      `create index home_announcements_created_idx on data.home_announcements (tenant_id, created_at, id)`,
    );
    await runner.query(`
      create index home_announcements_workspace_idx on data.home_announcements (tenant_id, workspace_id, created_at, id)
        where workspace_id is not null`);
    await tenantTable(runner, 'data.home_announcements', { grant: 'select, insert, update, delete' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
