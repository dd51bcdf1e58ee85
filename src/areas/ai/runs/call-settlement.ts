import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { costOf } from '#libs/ai/cost.js';
import type { Completion, ModelUsage } from '#libs/ai/provider.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { Spending } from '../budgets/spending.js';
import { type Call, priceOf } from './call.js';
import { type CallEnd, CallsRepository } from './calls.repository.js';

const NOTHING_USED: ModelUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

/** Records the outcomes of calls and books their cost, in one transaction. */
@Injectable()
export class CallSettlement {
  private readonly outcomes: Counter;

  constructor(
    private readonly calls: CallsRepository,
    private readonly spending: Spending,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('ai_calls_total', 'Calls of models, by what became of them.', ['outcome']);
  }

  /** The provider responded. Returns the cost beyond the job's reservation, micros. `answer` is encrypted. */
  async answered(transaction: Transaction, call: Call, completion: Completion, answer: string): Promise<number> {
    const { usage, finish, providerRequestId } = completion;
    const costMicros = costOf(usage, priceOf(call));
    return this.end(transaction, call, {
      ...{ state: 'done', costMicros, usage, finish, fault: null, providerRequestId, answer },
    });
  }

  /** The provider rejected the call and certainly did not charge for it. */
  async refused(transaction: Transaction, call: Call, fault: string): Promise<void> {
    await this.end(transaction, call, { ...this.without(fault), state: 'refused', costMicros: 0 });
  }

  /** The outcome is unknown: the maximum cost is booked. */
  async inDoubt(transaction: Transaction, call: Call, fault: string): Promise<void> {
    await this.end(transaction, call, { ...this.without(fault), state: 'in_doubt', costMicros: call.worstMicros });
  }

  private without(fault: string) {
    return { usage: NOTHING_USED, finish: null, fault, providerRequestId: null, answer: null };
  }

  private async end(
    transaction: Transaction,
    { id, reservationId, sentAt }: Call,
    end: Omit<CallEnd, 'id' | 'finishedAt' | 'latencyMs'>,
  ): Promise<number> {
    const now = this.clock.now();
    const latencyMs = Math.max(0, now.getTime() - Date.parse(sentAt));
    this.calls.end(transaction, { id, ...end, finishedAt: now.toISOString(), latencyMs });
    const { overrunMicros } = await this.spending.settle(transaction, {
      reservationId,
      callId: id,
      micros: end.costMicros,
      usage: end.usage,
      doubtful: end.state === 'in_doubt',
    });
    this.outcomes.inc({ outcome: end.state });
    return overrunMicros;
  }
}
