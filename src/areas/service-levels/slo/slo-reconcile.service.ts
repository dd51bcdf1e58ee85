import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { type Span } from '#libs/request-counts/span.js';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, currentTenant, stamp } from '#libs/tenancy/scope.js';
import type { ReconciledSlos, ReconcileSlos, SloReconciled } from './reconcile.dto.js';
import type { Bucket } from './slo-engine.js';
import { SloCounters } from './slo-counters.js';
import { isCounted, type Slo, SLO_TYPE, windowMs } from './slo.js';
import { SloRepository } from './slo.repository.js';

/** Recounts the running counters from the records that they follow. Stored service-level reports never change. */
@Injectable()
export class SloReconcileService {
  constructor(
    private readonly repository: SloRepository,
    private readonly counters: SloCounters,
    private readonly accounts: RequestAccounts,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 400 for an unknown objective and an empty or future span. */
  async reconcile({ sloIds, from, to }: ReconcileSlos): Promise<ReconciledSlos> {
    const startMs = this.clock.nowMs();
    const span = {
      fromMs: from === undefined ? null : Date.parse(from),
      toMs: to === undefined ? startMs : Date.parse(to),
    };
    if (span.toMs > startMs + MINUTE_MS) throw outside('/to', 'The range cannot end in the future.');
    if (span.fromMs !== null && span.fromMs >= span.toMs)
      throw outside('/from', 'The range must begin before it ends.');
    const slos = named((await this.repository.all()).filter(isCounted), sloIds);
    await this.accounts.flushTenant(currentTenant().id).catch(() => undefined);
    return this.database.transaction(async (transaction) => {
      await this.counters.catchUp(slos); // what was not counted yet is no drift
      const results: SloReconciled[] = [];
      for (const slo of slos) results.push(await this.recount(transaction, slo, this.spanOf(slo, span)));
      const corrected = results.filter((result) => result.corrected);
      const changes = Object.fromEntries(corrected.map((each) => [each.sloId, { from: each.before, to: each.after }]));
      const target = { type: SLO_TYPE, id: slos.length === 1 ? slos[0]!.id : null, name: null };
      const fact = { action: `${SLO_TYPE}.reconciled`, target, outcome: 'success', riskLevel: 'low' } as const;
      transaction.write(auditStatement(currentScope(), { ...fact, changes }, stamp(this.clock)));
      return { results, durationMs: Math.max(0, this.clock.nowMs() - startMs) };
    });
  }

  private async recount(transaction: Transaction, slo: Slo, span: Span): Promise<SloReconciled> {
    const before = await this.counters.hours(slo, span);
    for (const each of this.counters.recount(slo, span)) transaction.write(each);
    const after = await this.counters.hours(slo, span);
    const [old, now] = [sumOf(before), sumOf(after)];
    return {
      sloId: slo.id,
      from: new Date(span.fromMs).toISOString(),
      to: new Date(span.toMs).toISOString(),
      before: old,
      after: now,
      drift: { good: now.good - old.good, total: now.total - old.total },
      corrected: !isDeepStrictEqual(before, after),
    };
  }

  /** Full hours, within the time for which the records are kept. */
  private spanOf(slo: Slo, { fromMs, toMs }: { fromMs: number | null; toMs: number }): Span {
    const floor = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS;
    const from = Math.max(floor(fromMs ?? toMs - windowMs(slo)), this.counters.oldestMs(slo));
    return { fromMs: from, toMs: Math.max(from, floor(toMs - 1) + HOUR_MS) };
  }
}

function named(slos: readonly Slo[], ids: readonly string[] | undefined): Slo[] {
  if (!ids) return [...slos];
  return ids.map((id, index) => {
    const slo = slos.find((each) => each.id === id);
    if (slo) return slo;
    const pointer = `/sloIds/${index}`;
    throw Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such objective in use.' }]);
  });
}

function sumOf(buckets: readonly Bucket[]): { good: number; total: number } {
  const good = buckets.reduce((sum, bucket) => sum + bucket.good, 0);
  return { good, total: good + buckets.reduce((sum, bucket) => sum + bucket.bad, 0) };
}

function outside(pointer: string, detail: string): Problem {
  return Problem.validation([{ pointer, code: 'out_of_range', detail }]);
}
