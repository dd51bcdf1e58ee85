import type { MigrationInterface, QueryRunner } from 'typeorm';
import { alphabetIndex } from '#libs/database/alphabet.js';
import { guardHeldRecords, keepUnderHold } from '#libs/database/legal-holds.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { sqlFunction } from '../functions.js';

const WORDS = searchedWords(`data.fold(name || ' ' || reference)`);

/** Documents that are made from templates. ADR 0072. */
export class Documents1763700000380 implements MigrationInterface {
  name = 'Documents1763700000380';

  async up(runner: QueryRunner): Promise<void> {
    const table = 'data.documents_documents';
    await recordTable(
      runner,
      table,
      'documents.document',
      `
      kind text not null check (kind in
        ('proposal', 'invoice', 'offer_letter', 'contract', 'handoff', 'report', 'email', 'generic')),
      status text not null check (status in ('draft', 'rendered', 'final', 'superseded', 'void')),
      template_id uuid not null,
      template_version integer not null check (template_version between 1 and 1000000),
      target jsonb check (jsonb_typeof(target) = 'object'),
      replaces_id uuid,
      frozen jsonb not null check (jsonb_typeof(frozen) = 'object'),
      source text not null check (length(source) <= 1100000),
      source_format text not null check (source_format in ('html', 'markdown', 'text')),
      locale text not null check (length(locale) between 2 and 35),
      content_id uuid,
      content_hash text check (content_hash ~ '^[0-9a-f]{64}$'),
      size_bytes bigint check (size_bytes > 0),
      page_count integer check (page_count between 1 and 1000),
      render_error jsonb,
      finalized_at timestamptz(3),
      voided_at timestamptz(3),
      void_reason text check (length(void_reason) between 1 and 500),
      search tsvector not null generated always as (${WORDS}) stored,
      constraint documents_documents_replaces_id_fkey foreign key (tenant_id, replaces_id)
        references ${table} (tenant_id, id),
      constraint documents_documents_printed check (status in ('draft', 'void') or content_id is not null)`,
    );
    await listIndexes(runner, table, {
      sorts: ['updated_at'],
      filters: ['status', 'kind', 'template_id', 'replaces_id'],
    });
    await alphabetIndex(runner, table, 'name');
    await searchFunction(runner, table);
    await guardHeldRecords(runner, table, 'documents.document');
    await keepUnderHold(runner, table);
    await sqlFunction(runner, 'data.release_document_contents');
    await runner.query(`create trigger release_contents after delete on ${table}
      for each row execute function data.release_document_contents()`);
    await runner.query(`create trigger release_erased_contents after update of content_id on ${table}
      for each row when (old.content_id is not null and new.content_id is null)
      execute function data.release_document_contents()`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
