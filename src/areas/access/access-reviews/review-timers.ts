import { Injectable } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope } from '#libs/tenancy/scope.js';
import type { AccessReview } from './access-review.js';
import { DUE, RECURRENCE, REMINDER, ReviewRecords } from './review-records.js';
import { ReviewLetters } from './review-letters.js';
import { ReviewStarts } from './review-starts.service.js';

const NO_DECISION = 'No decision was made before the due date.';

/** What happens to access reviews by time: reminders, the due date, and the next review of a series. */
@Injectable()
export class ReviewTimers {
  constructor(
    private readonly records: ReviewRecords,
    private readonly starts: ReviewStarts,
    private readonly letters: ReviewLetters,
    automations: Automations,
  ) {
    automations.timer({ kind: DUE, onBehalf: { of: 'tenant', because: 'date' }, fire: (id) => this.due(id) });
    automations.timer({ kind: REMINDER, onBehalf: { of: 'tenant', because: 'date' }, fire: (key) => this.remind(key) });
    automations.timer({ kind: RECURRENCE, onBehalf: { of: 'tenant', because: 'rule' }, fire: (id) => this.recur(id) });
  }

  /** Decides what is still open, and reports the review as overdue. */
  private async due(id: string): Promise<void> {
    const { objects, items } = this.records;
    await objects.unit(async (transaction) => {
      const review = await objects.rows.lock(transaction, id);
      const at = objects.now();
      if (review?.status !== 'in_progress' || review.dueAt > at) return;
      if ((await items.openCount(transaction, id)) === 0) return;
      const { actor: by } = currentScope();
      transaction.write(items.decideOpen(id, review.onNoDecision, { at, by, reason: NO_DECISION }));
      const overdue = objects.change(transaction, review, { overdueAt: at }, 'overdue', { riskLevel: 'high' });
      this.records.finish(transaction, overdue);
    });
  }

  private async remind(key: string): Promise<void> {
    const [id = ''] = key.split('|');
    const { objects } = this.records;
    await objects.unit(async (transaction) => {
      const review = await objects.rows.lock(transaction, id);
      if (review?.status === 'in_progress') await this.letters.remind(transaction, review);
    });
  }

  /**
   * Starts a review with the same settings and the same time to decide. If it cannot start, it stays a draft that is
   * tried again after another period.
   */
  private async recur(id: string): Promise<void> {
    const { objects } = this.records;
    await objects.unit(async (transaction) => {
      const last = await objects.rows.lock(transaction, id);
      if (!last || last.status === 'cancelled') return;
      const at = objects.now();
      const next = nextOf(last, at);
      const draft = last.status === 'draft' ? last : this.starts.create(transaction, next);
      try {
        await transaction.savepoint(() => this.starts.start(transaction, draft, next.dueAt));
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error;
        const changes = { startError: error.code, dueAt: next.dueAt };
        objects.change(transaction, draft, changes, 'start_failed', { riskLevel: 'high' });
        this.records.scheduleNext(transaction, draft, at);
      }
    });
  }
}

function nextOf(last: AccessReview, at: string) {
  const { name, scope, reviewers, onNoDecision, recurrence } = last;
  const lengthMs = Date.parse(last.dueAt) - Date.parse(last.startedAt ?? last.updatedAt);
  const dueAt = new Date(Date.parse(at) + lengthMs).toISOString();
  return { name, scope, reviewers, onNoDecision, recurrence, dueAt };
}
