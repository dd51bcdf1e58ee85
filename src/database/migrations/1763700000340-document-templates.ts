import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

const CONTENT = `
        subject text check (length(subject) between 1 and 300),
        body text not null check (length(body) between 1 and 100000),
        styles text check (length(styles) between 1 and 20000),
        variables_schema jsonb check (jsonb_typeof(variables_schema) = 'object')`;

/** Templates of documents and mails, and their published versions. */
export class DocumentTemplates1763700000340 implements MigrationInterface {
  name = 'DocumentTemplates1763700000340';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.document_templates (
        tenant_id uuid not null,
        id uuid not null,
        key text not null check (key ~ '^[a-z][a-z0-9-]{0,59}$'),
        name text collate data.alphabet not null check (length(name) between 1 and 200),
        kind text not null check (kind in
          ('proposal', 'invoice', 'offer_letter', 'contract', 'handoff', 'report', 'email', 'generic')),
        format text not null check (format in ('html', 'markdown', 'text')),
        ${CONTENT.trim()},
        body_hash text not null check (body_hash ~ '^[0-9a-f]{64}$'),
        locale text not null check (length(locale) between 2 and 35),
        is_default boolean not null,
        status text not null check (status in ('draft', 'published', 'archived')),
        current_version integer check (current_version > 0),
        has_draft boolean not null,
        created_by jsonb not null,
        version integer not null check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint document_templates_key_key unique (tenant_id, key),
        constraint document_templates_default check (not is_default or status = 'published'),
        constraint document_templates_published check (status <> 'published' or current_version is not null)
      )`);
    await tenantTable(runner, 'data.document_templates', { grant: 'select, insert, update, delete' });
    await runner.query(`create unique index document_templates_default_key
      on data.document_templates (tenant_id, kind, locale) where is_default`);

    await runner.query(`
      create table data.document_template_versions (
        tenant_id uuid not null,
        template_id uuid not null,
        number integer not null check (number > 0),
        ${CONTENT.trim()},
        body_hash text not null check (body_hash ~ '^[0-9a-f]{64}$'),
        published_at timestamptz(3) not null,
        published_by jsonb not null,
        primary key (tenant_id, template_id, number),
        constraint document_template_versions_template_fkey foreign key (tenant_id, template_id)
          references data.document_templates (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'data.document_template_versions', { grant: 'select, insert' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
