import { eraseDetails } from '#libs/audit/audit-entry.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { eraseFilesOf, eraseJobsAbout } from '../records/traces.js';
import type { Family } from './expiry.js';
import { childrenFirst, type Relation } from './relations.js';

/** A record that was deleted permanently. */
export interface Purged {
  type: string;
  id: string;
}

/** Rows about records in the tables that all types share. `$2` are the ids of the records. */
const TRACES = [
  'delete from data.comments where tenant_id = $1 and record_id = any($2::uuid[])',
  'delete from data.attachments where tenant_id = $1 and record_id = any($2::uuid[])',
  'delete from data.checklists where tenant_id = $1 and subject_id = any($2::uuid[])',
  'delete from data.notifications where tenant_id = $1 and subject_id = any($2::uuid[])',
  `delete from data.record_links where tenant_id = $1 and (record_id = any($2::uuid[]) or other_id = any($2::uuid[]))`,
  'delete from data.record_watchers where tenant_id = $1 and record_id = any($2::uuid[])',
  'delete from data.record_tags where tenant_id = $1 and record_id = any($2::uuid[])',
  'delete from data.external_refs where tenant_id = $1 and record_id = any($2::uuid[])',
  'delete from data.custom_field_values where tenant_id = $1 and record_id = any($2::uuid[])',
  'delete from data.record_transitions where tenant_id = $1 and record_id = any($2::uuid[])',
  'delete from data.resource_grants where tenant_id = $1 and object_id = any($2::uuid[])',
  'delete from data.public_links where tenant_id = $1 and target_id = any($2::uuid[])',
  'delete from data.ai_job_targets where tenant_id = $1 and record_id = any($2::uuid[])',
  'delete from data.ai_feedback where tenant_id = $1 and job_id = any($2::uuid[])',
];
/** All in one statement, because sending the ids once per table takes longer than most of the deletions. */
const DELETE_TRACES = `with ${TRACES.map((text, index) => `traces_${index} as (${text})`).join(', ')} select`;

/**
 * Deletes locked records of a type permanently, with their parts and everything about them. Returns all deleted records.
 * The audit entries stay without their personal values.
 */
export async function purge(
  transaction: Transaction,
  family: Family,
  ids: readonly string[],
  { relations, at }: { relations: readonly Relation[]; at: string },
): Promise<Purged[]> {
  const members = new Map<Family, readonly string[]>();
  await collect(transaction, family, ids, members);
  const all = [...members.values()].flat();
  const { id: tenantId } = currentTenant();
  await eraseJobsAbout(transaction, all, at);
  const order = childrenFirst(
    [...members.keys()].map(({ table }) => table),
    relations,
  );
  for (const table of order)
    for (const [{ definition, table: own }, own_ids] of members)
      if (own === table && own_ids.length > 0)
        for (const each of removal(definition, table, own_ids, at)) transaction.write(each);
  await eraseFilesOf(transaction, all, at);
  // After the rows: putting them into the trash updates some of these.
  transaction.write(statement(DELETE_TRACES, [tenantId, all]));
  transaction.write(eraseDetails(all, at));
  return [...members].flatMap(([{ definition }, own]) => own.map((id) => ({ type: definition.type, id })));
}

async function collect(
  transaction: Transaction,
  family: Family,
  ids: readonly string[],
  members: Map<Family, readonly string[]>,
): Promise<void> {
  members.set(family, ids);
  for (const { column, family: part } of family.parts) {
    const text = `select id from ${part.table} where tenant_id = $1 and ${column} = any($2::uuid[]) order by id for update`;
    const rows = await transaction.query<{ id: string }>(statement(text, [currentTenant().id, ids]));
    if (rows.length > 0)
      await collect(
        transaction,
        part,
        rows.map(({ id }) => id),
        members,
      );
  }
}

/** Rows that can be trashed go through the trash, so that triggers take them out of totals. */
function removal(
  { lifecycle, stateField }: Family['definition'],
  table: string,
  ids: readonly string[],
  at: string,
): Statement[] {
  const values = [currentTenant().id, ids];
  const deletion = `delete from ${table} where tenant_id = $1 and id = any($2::uuid[])`;
  const { delete: trash } = lifecycle.transitions;
  if (!trash) return [statement(deletion, values)];
  const states = lifecycle.states.length === 1 ? '' : ` and ${snake(stateField ?? 'status')} = any($4)`;
  const trashed = `update ${table} set deleted_at = $3, version = version + 1
    where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null${states}`;
  return [statement(trashed, [...values, at, ...(states === '' ? [] : [trash.from])]), statement(deletion, values)];
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
