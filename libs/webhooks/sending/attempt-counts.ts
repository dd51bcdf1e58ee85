import { Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { bucketOf, DURATION_BOUNDS } from './duration-histogram.js';
import type { SettledAttempt } from '../leases/leased-delivery.js';

// In a fixed order, because otherwise two workers that count for the same endpoints could deadlock.
const COUNT = `
  insert into data.webhook_stats as s (tenant_id, endpoint_id, minute, delivered, failed, durations)
  select c.tenant_id, c.endpoint_id, date_trunc('minute', now()), c.delivered, c.failed, c.durations::integer[]
  from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::integer[], $5::text[])
    as c (tenant_id, endpoint_id, delivered, failed, durations)
  order by c.tenant_id, c.endpoint_id
  on conflict (tenant_id, endpoint_id, minute) do update
  set delivered = s.delivered + excluded.delivered, failed = s.failed + excluded.failed,
    durations = array(select a + b from unnest(s.durations, excluded.durations) with ordinality as d (a, b, n) order by n)`;

interface EndpointCounts {
  tenantId: string;
  endpointId: string;
  delivered: number;
  failed: number;
  /** By histogram bucket. */
  durations: number[];
}

/**
 * Counts of successful and failed attempts per endpoint, with their durations. They are written in batches. They are
 * for display only, so a crash may lose those of the last second.
 */
@Injectable()
export class AttemptCounts {
  /** By endpoint. */
  private waiting = new Map<string, EndpointCounts>();
  private readonly attempts: Counter;
  private readonly seconds: Histogram;

  constructor(
    private readonly database: Database,
    metrics: Metrics,
  ) {
    this.seconds = metrics.histogram('webhook_attempt_seconds', 'Durations of attempts to deliver a webhook.');
    this.attempts = metrics.counter('webhook_attempts_total', 'Attempts to deliver a webhook.', ['outcome']);
  }

  /** Counts recorded attempts. */
  add(attempts: readonly SettledAttempt[]): void {
    const outcomes = new Map<string, number>();
    for (const attempt of attempts) {
      this.addOne(attempt);
      const outcome = attempt.status ?? 'failed';
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    for (const [outcome, count] of outcomes) this.attempts.inc({ outcome }, count);
  }

  /** Writes the counts since the last write. If that fails, they are lost. */
  async write(): Promise<void> {
    const counts = [...this.waiting.values()];
    this.waiting = new Map();
    if (counts.length > 0) await this.database.system([countStatement(counts)]);
  }

  private addOne({ delivery: { tenantId, endpointId }, error, result }: SettledAttempt): void {
    let counts = this.waiting.get(endpointId);
    if (!counts) {
      counts = { tenantId, endpointId, delivered: 0, failed: 0, durations: DURATION_BOUNDS.map(() => 0) };
      this.waiting.set(endpointId, counts);
    }
    if (error === null) counts.delivered++;
    else counts.failed++;
    this.seconds.observe(result.timings.totalMs / 1_000);
    counts.durations[bucketOf(result.timings.totalMs)]!++;
  }
}

function countStatement(counts: readonly EndpointCounts[]): Statement {
  return statement(COUNT, [
    counts.map(({ tenantId }) => tenantId),
    counts.map(({ endpointId }) => endpointId),
    counts.map(({ delivered }) => delivered),
    counts.map(({ failed }) => failed),
    counts.map(({ durations }) => `{${durations.join(',')}}`),
  ]);
}
