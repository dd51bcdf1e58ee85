import { Injectable } from '@nestjs/common';
import type { RequestSums } from '#libs/request-counts/key-figures.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { type LimitState, LimitStates, WINDOW_MS } from '#libs/http/rate-limit/limit-states.js';
import { Clock } from '#libs/kernel/clock.js';
import { type DaySpan, daysOf, daySpan, lastDays } from '#libs/kernel/day-span.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AiUsageService } from '#src/areas/ai/insight/usage.service.js';
import {
  type ClassUsage,
  type CurrentUsage,
  MOST_DAYS,
  MOST_DAYS_BY_HOUR,
  type Usage,
  type UsageByClass,
  type UsageQuery,
} from './usage.dto.js';
import { UsageGroups } from './usage-groups.js';
import { type DayRow, UsageRepository } from './usage.repository.js';

/** API usage of a tenant, as counted by its rate limiter. */
@Injectable()
export class UsageService {
  constructor(
    private readonly repository: UsageRepository,
    private readonly accounts: RequestAccounts,
    private readonly limits: LimitStates,
    private readonly clock: Clock,
    private readonly aiUsage: AiUsageService,
    private readonly groups: UsageGroups,
  ) {}

  /** @throws Problem 400 for a span that is too long. */
  async read({ groupBy, ...asked }: UsageQuery): Promise<Usage> {
    const nowMs = this.clock.nowMs();
    const span = spanOf(asked, groupBy, nowMs);
    const completeToMs = await this.accounts.completeTo(currentTenant().id, nowMs);
    const rows = await this.repository.days(span.from, span.to);
    const days = daysOf(span).map((date) => ({ date, ...none() }));
    const totals = none();
    const byDate = new Map(days.map((day) => [day.date, day]));
    for (const { date, rateClass, requests, refused, errors } of rows) {
      byDate.get(date)![rateClass] = { requests, refused, errors };
      add(totals[rateClass], { requests, refused, errors });
    }
    const [read, write] = [await this.limits.of('read'), await this.limits.of('write')];
    return {
      plan: currentTenant().plan,
      limits: { read, write, readsPerMinute: read.limit, writesPerMinute: write.limit },
      current: current(read, write, nowMs),
      ...span,
      days,
      totals: { ...totals, ...sumsOf(rows) },
      ...(await this.groups.read(span, groupBy)),
      webhooks: await this.repository.webhooks(span),
      ai: { costMicros: await this.aiUsage.cost(`${span.from}T00:00:00Z`, `${span.to}T24:00:00Z`) },
      asOf: new Date(nowMs).toISOString(),
      completeTo: new Date(completeToMs).toISOString(),
    };
  }
}

function spanOf(asked: Partial<DaySpan>, groupBy: UsageQuery['groupBy'], nowMs: number): DaySpan {
  if (groupBy !== 'hour') return daySpan(asked, new Date(nowMs), MOST_DAYS);
  const week = lastDays(MOST_DAYS_BY_HOUR, asked.to ?? new Date(nowMs).toISOString());
  return daySpan({ ...week, ...asked }, new Date(nowMs), MOST_DAYS_BY_HOUR);
}

/** Both rate limits share one window, which ends now. */
function current(read: LimitState, write: LimitState, nowMs: number): CurrentUsage {
  const resets = [read.resetsAt, write.resetsAt].filter((at) => at !== null);
  return {
    windowStart: new Date(nowMs - WINDOW_MS).toISOString(),
    reads: read.limit - read.remaining,
    readsRemaining: read.remaining,
    writes: write.limit - write.remaining,
    writesRemaining: write.remaining,
    resetAt: resets.sort()[0] ?? null,
  };
}

function sumsOf(rows: readonly DayRow[]): RequestSums {
  const sum = (of: (row: DayRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    reads: sum(({ rateClass, requests }) => (rateClass === 'read' ? requests : 0)),
    writes: sum(({ rateClass, requests }) => (rateClass === 'write' ? requests : 0)),
    errors4xx: sum(({ errors, serverErrors }) => errors - serverErrors),
    errors5xx: sum(({ serverErrors }) => serverErrors),
    rateLimited: sum(({ refused }) => refused),
    idempotentReplays: sum(({ replays }) => replays),
  };
}

function none(): UsageByClass {
  const zero = { requests: 0, refused: 0, errors: 0 };
  return { read: { ...zero }, write: { ...zero } };
}

function add(sum: ClassUsage, { requests, refused, errors }: ClassUsage): void {
  sum.requests += requests;
  sum.refused += refused;
  sum.errors += errors;
}
