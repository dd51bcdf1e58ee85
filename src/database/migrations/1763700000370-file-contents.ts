import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { systemTable } from '#libs/database/tenant-table.js';
import { sqlFunction } from '../functions.js';

const ALL = { grant: 'select, insert, update, delete' };

/** Bytes that the platform keeps, and what uses them. The worker removes unused ones of all tenants. */
export class FileContents1763700000370 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.file_contents (
        tenant_id uuid not null,
        id uuid not null,
        path text not null check (path ~ '^[0-9a-f-]{36}/[0-9a-f]{64}$'),
        sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
        size_bytes bigint not null check (size_bytes >= 0),
        mime_type text not null check (length(mime_type) between 3 and 127),
        sealed_key text,
        stored_at timestamptz(3),
        is_unused boolean not null,
        kept_until timestamptz(3) not null,
        removing_until timestamptz(3),
        created_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint file_contents_path_key unique (tenant_id, path)
      )`);
    await runner.query(`create index file_contents_unused_idx on data.file_contents (kept_until) where is_unused`);
    await systemTable(runner, 'data.file_contents', { app: ALL, system: ALL });
    await runner.query(`
      create table data.file_content_uses (
        tenant_id uuid not null,
        content_id uuid not null,
        object text not null check (length(object) between 1 and 60),
        object_id uuid not null,
        is_suspended boolean not null default false,
        expires_at timestamptz(3),
        primary key (tenant_id, content_id, object, object_id),
        foreign key (tenant_id, content_id) references data.file_contents (tenant_id, id)
      )`);
    await runner.query(
      `create index file_content_uses_object_idx on data.file_content_uses (tenant_id, object, object_id)`,
    );
    await runner.query(
      `create index file_content_uses_expiry_idx on data.file_content_uses (expires_at) where expires_at is not null`,
    );
    await systemTable(runner, 'data.file_content_uses', { app: ALL, system: ALL });
    await sqlFunction(runner, 'data.note_content_use');
    await sqlFunction(runner, 'data.note_content_release');
    await runner.query(`create trigger note_use after insert on data.file_content_uses
      for each row execute function data.note_content_use()`);
    await runner.query(`create trigger note_release after delete on data.file_content_uses
      for each row execute function data.note_content_release()`);
    await runner.query(`
      create table data.used_file_links (
        tenant_id uuid not null,
        id uuid not null,
        expires_at timestamptz(3) not null,
        primary key (tenant_id, id)
      )`);
    await runner.query(`create index used_file_links_expiry_idx on data.used_file_links (expires_at)`);
    await systemTable(runner, 'data.used_file_links', { app: { grant: 'select, insert' }, system: ALL });
    await sqlFunction(runner, 'directory.find_served_tenant');
    await definerFunction(runner, 'directory.find_served_tenant(uuid)', ['app']);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
