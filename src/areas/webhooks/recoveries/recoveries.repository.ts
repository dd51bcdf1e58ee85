import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { id as idField } from '#libs/http/field.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { filter, type ListOptions, type ListRequest } from '#libs/resource/lists/list-query.js';
import { type Page, ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Subscription } from '#libs/webhooks/relay/fan-out.js';
import { type Count, countOn, UNCOUNTED } from '#libs/webhooks/recovery/recovery-count.js';
import type { RecoveryScope } from '#libs/webhooks/recovery/recovery-window.js';
import { recoveryList } from './recovery.dto.js';
import { Recovery } from './recovery.entity.js';

/** Number of counting steps within the request. After that the job continues to count. */
const STEPS_AT_ONCE = 4;
const OF_ONE_ENDPOINT: ListOptions = {
  ...recoveryList,
  filters: { ...recoveryList.filters, endpointId: filter.exact(idField()) },
};

const OLDEST = `
  select n.sequence, e.occurred_at as "occurredAt"
  from (select sequence, event_id from data.event_numbers where tenant_id = $1 order by sequence limit 1) n
    join data.events e on e.tenant_id = $1 and e.id = n.event_id`;
const RUNNING = `select id from data.webhook_recoveries where tenant_id = $1 and endpoint_id = $2 and status in ('counting', 'running') limit 1`;
const INSERT = `
  insert into data.webhook_recoveries (tenant_id, id, endpoint_id, since, until, statuses, event_types, dry_run, status,
    counted, by_status, matched, after_sequence, created_at, updated_at, finished_at, created_by, job_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, now(), now(),
    case $9 when 'completed' then now() end, $14, $15)`;
const CANCEL = `update data.webhook_recoveries set status = 'cancelled', updated_at = now(), finished_at = now()
  where tenant_id = $1 and id = $2`;
const CLOSE = `update data.webhook_recoveries set status = 'cancelled', updated_at = now(), finished_at = now()
  where tenant_id = $1 and job_id = $2 and finished_at is null`;

/** A new job, with the counts made in the request. */
export type NewRecovery = Omit<
  Recovery,
  'tenantId' | 'examined' | 'recovered' | 'createdAt' | 'updatedAt' | 'finishedAt'
>;

@Injectable()
export class RecoveriesRepository extends ResourceRepository<Recovery> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Recovery);
  }

  /** One page of the recoveries of an endpoint (webhook_recoveries_endpoint_idx). */
  pageOfEndpoint(endpointId: string, request: ListRequest): Promise<Page<Recovery>> {
    const own = { field: 'endpointId', operator: 'eq', value: endpointId } as const;
    return this.page({ ...request, filters: [own, ...request.filters] }, OF_ONE_ENDPOINT);
  }

  /** When the oldest retained event occurred; null if none has ever been deleted. */
  async oldestKept(): Promise<string | null> {
    const [oldest] = await this.database.read<{ sequence: number; occurredAt: string }>(
      statement(OLDEST, [currentTenant().id]),
    );
    return oldest && oldest.sequence > 1 ? oldest.occurredAt : null;
  }

  /** Counts what an endpoint would get, as far as possible in a short time. */
  async count(endpoint: Pick<Subscription, 'id' | 'eventTypes'>, scope: RecoveryScope): Promise<Count> {
    let count = UNCOUNTED;
    for (let step = 0; step < STEPS_AT_ONCE && count.more; step++)
      count = await countOn((query) => this.database.read(query), currentTenant().id, endpoint, scope, count);
    return count;
  }

  async isRunning(transaction: Transaction, endpointId: string): Promise<boolean> {
    const rows = await transaction.query(statement(RUNNING, [currentTenant().id, endpointId]));
    return rows.length > 0;
  }

  /** Adds a job. Its times come from the database clock, like those of the queue. */
  add(transaction: Transaction, job: NewRecovery): void {
    const { id: recoveryId, endpointId, since, until, statuses, eventTypes, dryRun, status } = job;
    const { counted, byStatus, matched, afterSequence, createdBy, jobId } = job;
    const scope = [currentTenant().id, recoveryId, endpointId, since, until, statuses, eventTypes, dryRun, status];
    const found = [counted, JSON.stringify(byStatus), matched, afterSequence];
    transaction.write(statement(INSERT, [...scope, ...found, JSON.stringify(createdBy), jobId]));
  }

  cancel(transaction: Transaction, id: string): void {
    transaction.write(statement(CANCEL, [currentTenant().id, id]));
  }

  /** The statement that cancels the recovery of a job that has failed or was cancelled. */
  close(jobId: string): Statement {
    return statement(CLOSE, [currentTenant().id, jobId]);
  }
}
