import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { id } from '#libs/http/field.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { filter, type ListOptions, type ListRequest } from '#libs/resource/list-query.js';
import { type Page, ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { firstIdAfter, firstIdSince, RECOVERABLE, type Recoverable } from '#libs/webhooks/recovery-window.js';
import { likePatterns } from '../events/type-patterns.js';
import { recoveryList } from './recovery.dto.js';
import { Recovery } from './recovery.entity.js';

const OF_ONE_ENDPOINT: ListOptions = {
  ...recoveryList,
  filters: { ...recoveryList.filters, endpointId: filter.exact(id()) },
};

const OLDEST = `select sequence, occurred_at as "occurredAt" from data.events
  where tenant_id = $1 and sequence is not null order by sequence limit 1`;
// What an event has become for the endpoint; null where the endpoint has never been interested in it.
const COUNTS = `
  select coalesce(d.status, 'never_attempted') as status, count(*) as count
  from data.events e left join data.webhook_deliveries d
    on d.tenant_id = $1 and d.endpoint_id = $2 and d.event_id = e.id and d.id >= $3 and d.id < $4
  where e.tenant_id = $1 and e.id >= $3 and e.id < $4 and e.occurred_at >= $5 and e.occurred_at < $6
    and e.sequence is not null and (d.id is not null or e.type like any($7::text[]))
    and ($8::text[] is null or e.type like any($8))
  group by 1`;
const RUNNING = `select id from data.webhook_recoveries where tenant_id = $1 and endpoint_id = $2 and status = 'running' limit 1`;
const INSERT = `
  insert into data.webhook_recoveries (tenant_id, id, endpoint_id, since, until, statuses, event_types, status, matched,
    created_at, updated_at, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, 'running', $8, now(), now(), $9)`;
const CANCEL = `update data.webhook_recoveries set status = 'cancelled', updated_at = now(), finished_at = now()
  where tenant_id = $1 and id = $2`;

/** What a recovery is about. */
export interface RecoveryScope {
  endpointId: string;
  since: string;
  until: string;
  eventTypes: string[] | null;
}

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

  /** When the oldest event that is kept occurred; null when none has ever been dropped. */
  async oldestKept(): Promise<string | null> {
    const [oldest] = await this.database.read<{ sequence: number; occurredAt: string }>(
      statement(OLDEST, [currentTenant().id]),
    );
    return oldest && oldest.sequence > 1 ? oldest.occurredAt : null;
  }

  /** Deliveries of events of a time by status; `subscribed` are the patterns that the endpoint has now. */
  async counts(
    { endpointId, since, until, eventTypes }: RecoveryScope,
    subscribed: readonly string[],
  ): Promise<Record<Recoverable, number>> {
    const ids = [firstIdSince(since), firstIdAfter(until)];
    const types = [likePatterns(subscribed), eventTypes && likePatterns(eventTypes)];
    const values = [currentTenant().id, endpointId, ...ids, since, until, ...types];
    const rows = await this.database.read<{ status: string; count: number }>(statement(COUNTS, values));
    const counts = new Map(rows.map(({ status, count }) => [status, count]));
    return Object.fromEntries(RECOVERABLE.map((each) => [each, counts.get(each) ?? 0])) as Record<Recoverable, number>;
  }

  async isRunning(transaction: Transaction, endpointId: string): Promise<boolean> {
    const rows = await transaction.query(statement(RUNNING, [currentTenant().id, endpointId]));
    return rows.length > 0;
  }

  /** Adds a job; its times are the database's, as those of the queue are. */
  start(
    transaction: Transaction,
    job: RecoveryScope & Pick<Recovery, 'id' | 'statuses' | 'matched' | 'createdBy'>,
  ): void {
    const { id: jobId, endpointId, since, until, statuses, eventTypes, matched, createdBy } = job;
    const actor = JSON.stringify(createdBy);
    const values = [currentTenant().id, jobId, endpointId, since, until, statuses, eventTypes, matched, actor];
    transaction.write(statement(INSERT, values));
  }

  cancel(transaction: Transaction, jobId: string): void {
    transaction.write(statement(CANCEL, [currentTenant().id, jobId]));
  }
}
