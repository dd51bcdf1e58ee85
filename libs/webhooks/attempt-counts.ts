import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';
import { bucketOf, DURATION_BOUNDS } from './duration-histogram.js';
import type { SettledAttempt } from './leased-delivery.js';

const COUNT = `
  insert into data.webhook_stats as s (tenant_id, endpoint_id, minute, delivered, failed, durations)
  select $1, c.endpoint_id, date_trunc('minute', now()), c.delivered, c.failed, c.durations::integer[]
  from unnest($2::uuid[], $3::integer[], $4::integer[], $5::text[]) as c (endpoint_id, delivered, failed, durations)
  order by c.endpoint_id
  on conflict (tenant_id, endpoint_id, minute) do update
  set delivered = s.delivered + excluded.delivered, failed = s.failed + excluded.failed,
    durations = array(select a + b from unnest(s.durations, excluded.durations) with ordinality as d (a, b, n) order by n)`;

interface EndpointCounts {
  delivered: number;
  failed: number;
  /** By bucket of the histogram. */
  durations: number[];
}

/**
 * How many attempts of each endpoint went well, and how long they took. The figures are written now and then, many at once:
 * they are shown and nothing hangs on them, so that a crash may cost a second of them.
 */
@Injectable()
export class AttemptCounts {
  private waiting = new Map<string, { tenant: TenantFacts; endpoints: Map<string, EndpointCounts> }>();

  constructor(private readonly database: Database) {}

  /** Counts an attempt that was recorded. */
  add(tenant: TenantFacts, { endpointId, error, timings }: SettledAttempt): void {
    let own = this.waiting.get(tenant.id);
    if (!own) this.waiting.set(tenant.id, (own = { tenant, endpoints: new Map() }));
    let counts = own.endpoints.get(endpointId);
    if (!counts)
      own.endpoints.set(endpointId, (counts = { delivered: 0, failed: 0, durations: DURATION_BOUNDS.map(() => 0) }));
    if (error === null) counts.delivered++;
    else counts.failed++;
    counts.durations[bucketOf(timings.totalMs)]!++;
  }

  /** Writes what was counted since the last time. What could not be written is lost. */
  async write(): Promise<void> {
    // In one order, so that two workers that count for the same tenants never wait for each other in a ring.
    const waiting = [...this.waiting.values()].sort((a, b) => (a.tenant.id < b.tenant.id ? -1 : 1));
    this.waiting = new Map();
    if (waiting.length === 0) return;
    await this.database.severally(
      waiting.map(({ tenant, endpoints }) => ({ tenant, statements: [countStatement(tenant.id, endpoints)] })),
    );
  }
}

function countStatement(tenantId: string, endpoints: ReadonlyMap<string, EndpointCounts>): Statement {
  const counts = [...endpoints.values()];
  return statement(COUNT, [
    tenantId,
    [...endpoints.keys()],
    counts.map(({ delivered }) => delivered),
    counts.map(({ failed }) => failed),
    counts.map(({ durations }) => `{${durations.join(',')}}`),
  ]);
}
