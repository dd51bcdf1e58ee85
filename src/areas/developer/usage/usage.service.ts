import { Injectable } from '@nestjs/common';
import { FLUSH_MS, RequestAccounts } from '#libs/accounting/request-accounts.js';
import { LimitStates } from '#libs/http/rate-limit/limit-states.js';
import { Clock } from '#libs/kernel/clock.js';
import { daysOf, daySpan } from '#libs/kernel/day-span.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AiUsageService } from '#src/areas/ai/insight/usage.service.js';
import { type ClassUsage, MOST_DAYS, type Usage, type UsageByClass, type UsageQuery } from './usage.dto.js';
import { UsageRepository } from './usage.repository.js';

/** Age that figures of another process can have, ms: its pause between two writings, and the writing itself. */
const LATENESS_MS = FLUSH_MS + 5_000;

/** What a tenant used of the API, as its rate limiter counted it. */
@Injectable()
export class UsageService {
  constructor(
    private readonly repository: UsageRepository,
    private readonly accounts: RequestAccounts,
    private readonly limits: LimitStates,
    private readonly clock: Clock,
    private readonly aiUsage: AiUsageService,
  ) {}

  async read(query: UsageQuery): Promise<Usage> {
    const nowMs = this.clock.nowMs();
    const span = daySpan(query, new Date(nowMs), MOST_DAYS);
    const completeToMs = await this.completeTo(currentTenant().id, nowMs);
    const rows = await this.repository.days(span.from, span.to);
    const days = daysOf(span).map((date) => ({ date, ...none() }));
    const totals = none();
    const byDate = new Map(days.map((day) => [day.date, day]));
    for (const { date, rateClass, ...figures } of rows) {
      byDate.get(date)![rateClass] = figures;
      add(totals[rateClass], figures);
    }
    return {
      plan: currentTenant().plan,
      limits: { read: await this.limits.of('read'), write: await this.limits.of('write') },
      ...span,
      days,
      totals,
      ai: { costMicros: await this.aiUsage.cost(`${span.from}T00:00:00Z`, `${span.to}T24:00:00Z`) },
      asOf: new Date(nowMs).toISOString(),
      completeTo: new Date(completeToMs).toISOString(),
    };
  }

  /** Has the figures of this process stored, and answers up to when what is stored is complete. What is there is answered all the same. */
  private async completeTo(tenantId: string, nowMs: number): Promise<number> {
    try {
      await this.accounts.flushTenant(tenantId);
      return nowMs - LATENESS_MS;
    } catch {
      return Math.min(nowMs - LATENESS_MS, this.accounts.waitingSince(tenantId) ?? nowMs);
    }
  }
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
