import { Injectable } from '@nestjs/common';
import type { RateClass } from '#libs/request-counts/request-counts.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { DaySpan } from '#libs/kernel/day-span.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { WebhookUsage } from './usage.dto.js';

const SUM = `
  select date, rate_class as "rateClass", sum(counted)::bigint as requests, sum(refused)::bigint as refused,
    sum(errors)::bigint as errors, sum(server_errors)::bigint as "serverErrors", sum(replays)::bigint as replays
  from data.request_days where tenant_id = $1 and date between $2 and $3 group by date, rate_class`;
const KEYS = `select id, name, member_id as "memberId" from directory.api_keys(null)`;
const WEBHOOKS = `
  select count(*)::bigint as deliveries, count(*) filter (where status = 'delivered')::bigint as delivered,
    count(*) filter (where status = 'exhausted')::bigint as failed, coalesce(sum(attempt_count), 0)::bigint as attempts
  from data.webhook_deliveries
  where tenant_id = $1 and created_at >= $2::timestamptz and created_at < $3::timestamptz`;

/** Requests of a tenant on one day in one class, summed over all processes. */
export interface DayRow {
  date: string;
  rateClass: RateClass;
  requests: number;
  refused: number;
  errors: number;
  serverErrors: number;
  replays: number;
}

/** An API key of the tenant, valid or not. */
export interface KnownKey {
  id: string;
  name: string;
  memberId: string | null;
}

@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  /** Days without requests are left out. */
  days(from: string, to: string): Promise<DayRow[]> {
    return this.database.read<DayRow>(statement(SUM, [currentTenant().id, from, to]));
  }

  keys(): Promise<KnownKey[]> {
    return this.database.read<KnownKey>(statement(KEYS));
  }

  /** Deliveries of events of these days. */
  async webhooks({ from, to }: DaySpan): Promise<WebhookUsage> {
    const span = [`${from}T00:00:00Z`, `${to}T24:00:00Z`];
    const [row] = await this.database.read<WebhookUsage>(statement(WEBHOOKS, [currentTenant().id, ...span]));
    return row!;
  }
}
