import { eraseDetails } from '#libs/audit/audit-entry.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** Replaces an erased text that must not be empty. */
export const ERASED = '(erased)';

// $2: ids of records; $3: the same ids as a pattern. Includes jobs whose results name a record.
const ABOUT = `
  with jobs as (
    select job_id as id from data.ai_job_targets where tenant_id = $1 and record_id = any($2::uuid[])
    union
    select id from data.ai_jobs where tenant_id = $1 and (output is not null or proposed_actions <> '[]')
      and concat(output, proposed_actions) ~ $3)
  select id from jobs
  union
  select a.id from data.home_approvals a
    where a.tenant_id = $1 and (a.target_id = any($2::uuid[]) or a.target_id in (select id from jobs))`;

/**
 * Texts that belong to records or were derived from them, table by table. Counts, links and decisions are kept. `$2`
 * are the ids of all records.
 */
const ERASE = [
  `update data.comments set body = '${ERASED}', mentions = '{}', deleted_at = coalesce(deleted_at, now())
    where tenant_id = $1 and record_id = any($2::uuid[])`,
  `delete from data.attachments where tenant_id = $1 and record_id = any($2::uuid[])`,
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
  await transaction.queryAll([
    ...ERASE.map((text) => statement(text, [id, ids])),
    statement(ERASE_ANSWERS, [id, ids.join('|')]),
    eraseDetails(ids, at),
  ]);
}
