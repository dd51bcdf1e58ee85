import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { percentile } from '#libs/webhooks/sending/duration-histogram.js';
import type { WebhookEndpointAttempt } from './endpoint-attempt.dto.js';
import { EndpointAttemptsRepository } from './endpoint-attempts.repository.js';
import { EndpointRecords } from '../endpoints/endpoint-records.js';
import type { WebhookEndpointStats } from './endpoint-stats.dto.js';
import { EndpointStatsRepository } from './endpoint-stats.repository.js';

/** Attempts at an endpoint and their statistics. */
@Injectable()
export class EndpointInsightService {
  constructor(
    private readonly records: EndpointRecords,
    private readonly attemptLog: EndpointAttemptsRepository,
    private readonly sums: EndpointStatsRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 404. */
  async attempts(id: string, query: Record<string, unknown>): Promise<Page<WebhookEndpointAttempt>> {
    await this.records.find(id);
    return this.attemptLog.page(id, query);
  }

  /** The last 24 hours. @throws Problem 404. */
  async stats(id: string): Promise<WebhookEndpointStats> {
    const endpoint = await this.records.objects.get(id);
    const thisMinute = Math.floor(this.clock.nowMs() / MINUTE_MS) * MINUTE_MS;
    const since = new Date(thisMinute - DAY_MS).toISOString();
    const { delivered, failed, durations } = await this.sums.sum(id, since);
    const { lastSuccessAt, lastFailureAt } = endpoint.health;
    return {
      since,
      delivered24h: delivered,
      failed24h: failed,
      p50Ms: percentile(durations, 0.5),
      p95Ms: percentile(durations, 0.95),
      lastSuccessAt,
      lastFailureAt,
    };
  }
}
