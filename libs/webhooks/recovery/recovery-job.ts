import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { type Subscription, SUBSCRIPTION } from '../relay/fan-out.js';
import { recoverBatch } from './recovery-batch.js';
import { countOn, matchedOf } from './recovery-count.js';
import type { RecoveryJob } from './recovery-window.js';

const LOCK_JOB = `
  select id, endpoint_id as "endpointId", since, until, statuses, event_types as "eventTypes", status, dry_run as "dryRun",
    counted, by_status as "byStatus", recovered, after_sequence as "afterSequence", created_at as "createdAt"
  from data.webhook_recoveries where tenant_id = $1 and id = $2 and status in ('counting', 'running')
  for no key update`;
// Pausing, enabling or deleting the endpoint waits for this lock.
const LOCK_ENDPOINT = `select ${SUBSCRIPTION}, deleted_at is not null as deleted from data.webhook_endpoints
  where tenant_id = $1 and id = $2 for share`;
const CANCEL = `update data.webhook_recoveries set status = 'cancelled', updated_at = now(), finished_at = now()
  where tenant_id = $1 and id = $2`;
const COUNTED = `
  update data.webhook_recoveries
  set status = $3, after_sequence = $4, counted = $5, by_status = $6, matched = $7, updated_at = now(),
    finished_at = case $3 when 'completed' then now() end
  where tenant_id = $1 and id = $2`;

/**
 * Continues a recovery by one step: counts events and, after that, sends their deliveries in sequence order. The work of
 * a step and its position are committed together, so each delivery is recovered once even if a process dies.
 */
export async function carryOn(
  transaction: Transaction,
  catalogue: EventCatalogue,
  tenantId: string,
  recoveryId: string,
): Promise<void> {
  const [job] = await transaction.query<RecoveryJob>(statement(LOCK_JOB, [tenantId, recoveryId]));
  if (!job) return;
  const [endpoint] = await transaction.query<Subscription & { deleted: boolean }>(
    statement(LOCK_ENDPOINT, [tenantId, job.endpointId]),
  );
  if (!endpoint || endpoint.deleted) transaction.write(statement(CANCEL, [tenantId, recoveryId]));
  else if (job.status === 'counting') await count(transaction, tenantId, job, endpoint);
  else await recoverBatch(transaction, catalogue, { tenantId, job, endpoint });
}

async function count(
  transaction: Transaction,
  tenantId: string,
  job: RecoveryJob,
  endpoint: Subscription,
): Promise<void> {
  const before = { ...job, more: true };
  const { byStatus, counted, afterSequence, more } = await countOn(
    (query) => transaction.query(query),
    tenantId,
    endpoint,
    job,
    before,
  );
  const status = statusAfterCount(more, job.dryRun);
  const matched = matchedOf(byStatus, job.statuses, endpoint.status === 'enabled');
  const values = [tenantId, job.id, status, more ? afterSequence : 0, counted, JSON.stringify(byStatus), matched];
  transaction.write(statement(COUNTED, values));
}

/** The job after a step of its count. */
export function statusAfterCount(more: boolean, dryRun: boolean): 'counting' | 'running' | 'completed' {
  if (more) return 'counting';
  return dryRun ? 'completed' : 'running';
}
