import type { MigrationInterface, QueryRunner } from 'typeorm';
import { alphabetIndex } from '#libs/database/alphabet.js';
import { guardHeldRecords, keepUnderHold } from '#libs/database/legal-holds.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { systemTable, tenantTable } from '#libs/database/tenant-table.js';
import { sqlFunction } from '../functions.js';

const ALL = { grant: 'select, insert, update, delete' };
const WORDS = searchedWords(`data.fold(name || ' ' || reference || ' ' || coalesce(folder, ''))`);
const SHA256 = `sha256 text check (sha256 ~ '^[0-9a-f]{64}$')`;
const SCAN_STATUS = `scan_status text not null check (scan_status in ('not_scanned', 'waiting', 'clean', 'infected'))`;

/** Files of tenants, their versions, what names them, and those that wait for a scan. */
export class Files1763700000371 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const table = 'data.documents_files';
    await recordTable(
      runner,
      table,
      'documents.file',
      `
      folder text collate data.alphabet check (length(folder) between 1 and 300),
      confidential boolean not null,
      status text not null check (status in ('uploading', 'scanning', 'available', 'quarantined')),
      mime_type text check (length(mime_type) between 3 and 127),
      size_bytes bigint not null check (size_bytes >= 0),
      ${SHA256},
      ${SCAN_STATUS},
      current_version integer not null check (current_version between 1 and 100),
      content_id uuid,
      upload_until timestamptz(3),
      guarantor jsonb,
      search tsvector not null generated always as (${WORDS}) stored`,
    );
    await listIndexes(runner, table, {
      sorts: ['updated_at', 'size_bytes'],
      filters: ['status', 'folder', 'mime_type', 'sha256', 'scan_status', 'confidential'],
    });
    await alphabetIndex(runner, table, 'name');
    await searchFunction(runner, table);
    await guardHeldRecords(runner, table, 'documents.file');
    await keepUnderHold(runner, table);
    await runner.query(`
      create table data.documents_file_versions (
        tenant_id uuid not null,
        file_id uuid not null,
        number integer not null check (number > 0),
        content_id uuid,
        mime_type text check (length(mime_type) between 3 and 127),
        size_bytes bigint not null check (size_bytes >= 0),
        ${SHA256},
        ${SCAN_STATUS},
        created_at timestamptz(3) not null,
        created_by jsonb not null,
        primary key (tenant_id, file_id, number),
        constraint documents_file_versions_file_fkey foreign key (tenant_id, file_id)
          references ${table} (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'data.documents_file_versions', ALL);
    await runner.query(`
      create index documents_file_versions_size_idx on data.documents_file_versions (tenant_id) include (size_bytes)`);
    await runner.query(`
      create table data.file_uses (
        tenant_id uuid not null,
        file_id uuid not null,
        object text not null check (length(object) between 1 and 60),
        record_id uuid not null,
        place text not null check (length(place) between 1 and 100),
        primary key (tenant_id, file_id, object, record_id, place),
        constraint file_uses_file_fkey foreign key (tenant_id, file_id)
          references ${table} (tenant_id, id) on delete cascade
      )`);
    await runner.query(`create index file_uses_record_idx on data.file_uses (tenant_id, record_id)`);
    await tenantTable(runner, 'data.file_uses', ALL);
    await runner.query(`
      create table data.file_scans (
        tenant_id uuid not null,
        file_id uuid not null,
        content_id uuid not null,
        attempts integer not null default 0 check (attempts >= 0),
        due_at timestamptz(3) not null,
        primary key (tenant_id, file_id, content_id)
      )`);
    await runner.query(`create index file_scans_due_idx on data.file_scans (due_at)`);
    await systemTable(runner, 'data.file_scans', { app: { grant: 'select, insert' }, system: ALL });
    await sqlFunction(runner, 'data.release_file_contents');
    await runner.query(`create trigger release_contents after delete on ${table}
      for each row execute function data.release_file_contents()`);
    await sqlFunction(runner, 'data.erase_files_of');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
