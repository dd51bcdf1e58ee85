import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Endpoint } from './endpoint.js';

const COUNT = `select count(*)::integer as count from data.webhook_endpoints where tenant_id = $1 and deleted_at is null`;
const ADD_LANE = `insert into data.webhook_lanes (tenant_id, endpoint_id, ordering, max_per_second, max_concurrency)
  values ($1, $2, $3, $4, $5)`;
const LIMIT_LANE = `update data.webhook_lanes set ordering = $3, max_per_second = $4, max_concurrency = $5
  where tenant_id = $1 and endpoint_id = $2`;

type LaneLimits = Pick<Endpoint, 'tenantId' | 'id' | 'ordering' | 'maxPerSecond' | 'maxConcurrency'>;

@Injectable()
export class EndpointsRepository extends ResourceRepository<Endpoint> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Endpoint);
  }

  /** Number of the tenant's endpoints, without deleted ones. Blocks concurrent callers until the transaction ends. */
  async count(transaction: Transaction): Promise<number> {
    transaction.write(oneByOne('webhook_endpoints'));
    const [row] = await transaction.query<{ count: number }>(statement(COUNT, [currentTenant().id]));
    return row!.count;
  }

  /** Creates the lane of a new endpoint, which tells the scheduler its limits. */
  addLane(row: LaneLimits): Statement {
    return statement(ADD_LANE, limitsOf(row));
  }

  /** Updates the limits that the scheduler uses. */
  limitLane(row: LaneLimits): Statement {
    return statement(LIMIT_LANE, limitsOf(row));
  }
}

function limitsOf({ tenantId, id, ordering, maxPerSecond, maxConcurrency }: LaneLimits): unknown[] {
  return [tenantId, id, ordering, maxPerSecond, maxConcurrency];
}
