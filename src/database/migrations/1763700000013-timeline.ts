import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

const RELATIONS = `('relates_to', 'blocks', 'blocked_by', 'duplicates', 'duplicated_by', 'caused_by', 'causes',
  'derived_from', 'source_of')`;

/** The columns of everything that hangs on a record, whose table the type of the record decides. */
const ON_RECORD = `
  tenant_id uuid not null,
  id uuid not null,
  object text not null,
  record_id uuid not null,
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  created_by jsonb not null`;

/** What hangs on records of any type: comments, attachments, links, watchers. */
export class Timeline1763700000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The generated columns let the foreign key say that an answer stands on the same record and answers no answer.
    await runner.query(`
      create table data.comments (
        ${ON_RECORD},
        parent_id uuid,
        is_answer boolean not null generated always as (parent_id is not null) stored,
        parent_is_answer boolean generated always as (case when parent_id is not null then false end) stored,
        body text not null check (length(body) between 1 and 20000),
        visibility text not null check (visibility in ('internal', 'customer')),
        mentions uuid[] not null,
        author_id uuid,
        updated_at timestamptz(3) not null,
        updated_by jsonb not null,
        deleted_at timestamptz(3),
        primary key (tenant_id, id),
        unique (tenant_id, record_id, id, is_answer),
        foreign key (tenant_id, record_id, parent_id, parent_is_answer)
          references data.comments (tenant_id, record_id, id, is_answer),
        foreign key (tenant_id, author_id) references data.memberships (tenant_id, id)
      )`);
    await timeIndex(runner, 'comments', ' where deleted_at is null');
    await tenantTable(runner, 'data.comments', { grant: 'select, insert, update' });

    await runner.query(`
      create table data.attachments (
        ${ON_RECORD},
        file_name text not null check (length(file_name) between 1 and 255),
        content_type text not null,
        size_bytes bigint not null check (size_bytes >= 0),
        sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
        url text,
        label text,
        primary key (tenant_id, id)
      )`);
    await timeIndex(runner, 'attachments');
    // Locking a row takes the right to update one of its columns.
    await tenantTable(runner, 'data.attachments', { grant: 'select, insert, delete', updateColumns: ['version'] });

    // Two rows for each link, one for each of its records.
    await runner.query(`
      create table data.record_links (
        ${ON_RECORD},
        relation text not null check (relation in ${RELATIONS}),
        other_object text not null,
        other_id uuid not null,
        primary key (tenant_id, id, record_id),
        constraint record_links_once_key unique (tenant_id, record_id, relation, other_id),
        check (record_id <> other_id)
      )`);
    await timeIndex(runner, 'record_links');
    await tenantTable(runner, 'data.record_links', { grant: 'select, insert, delete', updateColumns: ['version'] });

    // The id is the membership of the person who watches.
    await runner.query(`
      create table data.record_watchers (
        ${ON_RECORD},
        primary key (tenant_id, record_id, id),
        foreign key (tenant_id, id) references data.memberships (tenant_id, id)
      )`);
    await timeIndex(runner, 'record_watchers');
    await runner.query(`create index record_watchers_member_idx on data.record_watchers (tenant_id, id)`);
    await tenantTable(runner, 'data.record_watchers', { grant: 'select, insert, delete', updateColumns: ['version'] });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

function timeIndex(runner: QueryRunner, table: string, where = ''): Promise<unknown> {
  return runner.query(
    `create index ${table}_time_idx on data.${table} (tenant_id, record_id, created_at desc, id desc)${where}`,
  );
}
