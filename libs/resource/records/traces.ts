import { eraseDetails } from '#libs/audit/audit-entry.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { IS_FREE_JOB } from '../retention/holds.js';

/** Replaces an erased text that must not be empty. */
export const ERASED = '(erased)';

// $2: ids of records.
const FILES_ALONE = `select u.file_id as id from data.file_uses u where u.tenant_id = $1 and u.record_id = any($2::uuid[])
    and not exists (select from data.file_uses o
      where o.tenant_id = $1 and o.file_id = u.file_id and o.record_id <> all($2::uuid[]))`;

// $2: ids of records; $3: the same ids as a pattern. Includes jobs whose results name a record, and files that nothing
// else names.
const ABOUT = `
  with jobs as (
    select job_id as id from data.ai_job_targets where tenant_id = $1 and record_id = any($2::uuid[])
    union
    select id from data.ai_jobs where tenant_id = $1 and (output is not null or proposed_actions <> '[]')
      and concat(output, proposed_actions) ~ $3)
  select id from jobs
  union
  select a.id from data.home_approvals a
    where a.tenant_id = $1 and (a.target_id = any($2::uuid[]) or a.target_id in (select id from jobs))
  union
  ${FILES_ALONE}`;

// $2: ids of records.
const JOBS_ABOUT = `
  with jobs as (
    select j.id from data.ai_jobs j where j.tenant_id = $1 and ${IS_FREE_JOB} and j.id in (
      select job_id from data.ai_job_targets where tenant_id = $1 and record_id = any($2::uuid[])))
  select id from jobs
  union
  select a.id from data.home_approvals a where a.tenant_id = $1 and a.target_id in (select id from jobs)`;

const ERASE_FILES = 'select data.erase_files_of($1, $2::uuid[])';

/**
 * Texts that belong to records or were derived from them, table by table. Counts, links and decisions are kept. `$2`
 * are the ids of all records.
 */
const ERASE = [
  `update data.comments set body = '${ERASED}', mentions = '{}', deleted_at = coalesce(deleted_at, now())
    where tenant_id = $1 and record_id = any($2::uuid[])`,
  `delete from data.attachments where tenant_id = $1 and record_id = any($2::uuid[])`,
  ERASE_FILES,
  `delete from data.checklists where tenant_id = $1 and subject_id = any($2::uuid[])`,
  `delete from data.notifications where tenant_id = $1 and subject_id = any($2::uuid[])`,
  `update data.record_transitions set reason = null
    where tenant_id = $1 and record_id = any($2::uuid[]) and reason is not null`,
  `update data.resource_grants set reason = null
    where tenant_id = $1 and object_id = any($2::uuid[]) and reason is not null`,
  `update data.home_approvals set name = '${ERASED}', target_name = '${ERASED}', input = '{}',
      decisions = (select coalesce(jsonb_agg(d || '{"note": null}'), '[]') from jsonb_array_elements(decisions) d)
    where tenant_id = $1 and id = any($2::uuid[])`,
  // An unfinished job fails at its next run because its input is gone. A worker that is running it loses its lease.
  `update data.ai_jobs set name = '${ERASED}', sealed_input = null, sealed_context = null, sealed_places = null, output = null,
      proposed_actions = '[]', error = error || '{"message": "${ERASED}"}', tags = '[]', custom_fields = '{}', external_refs = '[]'
    where tenant_id = $1 and id = any($2::uuid[])`,
  `update data.ai_queue set lease_token = null, lease_until = null
    where tenant_id = $1 and job_id = any($2::uuid[]) and lease_token is not null`,
  `update data.ai_calls set answer = null, results = null where tenant_id = $1 and job_id = any($2::uuid[])`,
  `update data.ai_feedback set comment = null, corrected_output = null
    where tenant_id = $1 and job_id = any($2::uuid[])`,
  // Files that contain a record are removed; an export that is still running begins anew.
  `delete from data.file_content_uses where tenant_id = $1 and object = 'exports.job' and object_id in (
    select p.export_id from data.export_parts p where p.tenant_id = $1 and p.ids && $2::uuid[])`,
  `update data.export_jobs set is_stale = finished_at is null, content_id = null, url = null,
      status = case when status = 'ready' then 'expired' else status end
    where tenant_id = $1 and id in (
      select p.export_id from data.export_parts p where p.tenant_id = $1 and p.ids && $2::uuid[])`,
  `delete from data.file_content_uses where tenant_id = $1 and object = 'data_export.request' and object_id in (
    select p.request_id from data.data_export_parts p where p.tenant_id = $1 and p.ids && $2::uuid[])`,
  `update data.data_export_requests set is_stale = status in ('queued', 'running'), content_id = null,
      status = case when status = 'ready' then 'expired' else status end
    where tenant_id = $1 and id in (
      select p.request_id from data.data_export_parts p where p.tenant_id = $1 and p.ids && $2::uuid[])`,
  // What an import has written stays, but cannot be rolled back; its file, rows and faults may name the record.
  `delete from data.file_content_uses where tenant_id = $1 and object = 'integrations.import' and object_id in (
    select r.import_id from data.import_records r where r.tenant_id = $1 and r.record_id = any($2::uuid[]))`,
  `delete from data.imports where tenant_id = $1 and id in (
    select r.import_id from data.import_records r where r.tenant_id = $1 and r.record_id = any($2::uuid[]))`,
];
const ERASE_ANSWERS = `update data.idempotency_keys set body = null, terms = null
  where tenant_id = $1 and completed_at is not null and body ~ $2`;

/**
 * Erases data about records that is stored outside the records: comments, attachments, reasons, approvals, AI jobs,
 * stored responses, audit entries. Runs before the records are erased, so that it keeps the entries about the erasure.
 * `Source:` ADR 0037.
 */
export async function eraseTraces(transaction: Transaction, recordIds: readonly string[], at: string): Promise<void> {
  const { id } = currentTenant();
  const found = await transaction.query<{ id: string }>(statement(ABOUT, [id, recordIds, recordIds.join('|')]));
  const ids = [...new Set([...recordIds, ...found.map((row) => row.id)])];
  await transaction.queryAll([...erasing(ids, at), statement(ERASE_ANSWERS, [id, ids.join('|')])]);
}

/**
 * Erases the AI jobs whose targets include one of many records, and their approvals, as {@link eraseTraces} does, but
 * without a search of other texts for ids. Jobs under a legal hold are kept.
 */
export async function eraseJobsAbout(
  transaction: Transaction,
  recordIds: readonly string[],
  at: string,
): Promise<void> {
  const query = statement(JOBS_ABOUT, [currentTenant().id, recordIds]);
  const ids = (await transaction.query<{ id: string }>(query)).map((row) => row.id);
  if (ids.length > 0) await transaction.queryAll(erasing(ids, at));
}

/** Erases the files that nothing but these records names, and what the audit log says about them. */
export async function eraseFilesOf(transaction: Transaction, recordIds: readonly string[], at: string): Promise<void> {
  const { id } = currentTenant();
  const files = await transaction.query<{ id: string }>(statement(FILES_ALONE, [id, recordIds]));
  transaction.write(statement(ERASE_FILES, [id, recordIds]));
  const ids = files.map((file) => file.id);
  if (ids.length > 0) transaction.write(eraseDetails(ids, at));
}

function erasing(ids: readonly string[], at: string): Statement[] {
  return [...ERASE.map((text) => statement(text, [currentTenant().id, ids])), eraseDetails(ids, at)];
}
