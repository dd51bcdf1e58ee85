import { Injectable } from '@nestjs/common';
import { currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { isBehindCaller } from '#libs/auth/second-person.js';
import type { Transaction } from '#libs/database/transaction.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope } from '#libs/tenancy/scope.js';
import type { AccessReview } from './access-review.js';
import { type AccessReviewItem, OPEN, shownItem } from './access-review-item.js';
import type { DecisionInput, DecisionResult } from './access-review.requests.js';
import { ReviewRecords } from './review-records.js';

const DECIDE = 'access-reviews:decide';

/** Decides items of access reviews. */
@Injectable()
export class ReviewDecisions {
  constructor(private readonly records: ReviewRecords) {}

  /**
   * Decides items of a locked review that is in progress. A refused decision does not affect the others. After the
   * last one, the review waits for its revocations.
   */
  async decide(
    transaction: Transaction,
    review: AccessReview,
    decisions: readonly DecisionInput[],
  ): Promise<{ review: AccessReview; results: DecisionResult[] }> {
    const ids = decisions.map(({ itemId }) => itemId);
    const items = await this.records.items.lockItems(
      transaction,
      review.id,
      (add) => `t.id = any(${add(ids)}::uuid[])`,
    );
    const known = new Map(items.map((item) => [item.id, item]));
    const ownKeys = await this.records.items.keysOfCaller(items);
    const isOwn = (item: AccessReviewItem) => isBehindCaller(item.memberId) || ownKeys.has(item.subjectId);
    const results = decisions.map((decision, index) => {
      const item = known.get(decision.itemId);
      return this.decideOne(transaction, { item, isOwn: item !== undefined && isOwn(item) }, decision, index);
    });
    if (!results.some(({ ok }) => ok)) return { review, results };
    const decided = this.records.decided(transaction, review);
    const isDone = (await this.records.items.openCount(transaction, review.id)) === 0;
    return { review: isDone ? this.records.finish(transaction, decided) : decided, results };
  }

  private decideOne(
    transaction: Transaction,
    { item, isOwn }: { item: AccessReviewItem | undefined; isOwn: boolean },
    input: DecisionInput,
    index: number,
  ): DecisionResult {
    const { itemId } = input;
    try {
      const before = visible(item);
      if (isOwn) throw new Problem('not_by_oneself', 'Nobody can decide on their own access; ask another reviewer.');
      refuse(before, input, `/decisions/${index}`);
      const after = decidedItem(before, input, this.records.objects.now());
      transaction.write(this.records.items.saveDecision(after));
      this.records.audit(transaction, 'decided', after, {
        decision: { from: before.decision, to: after.decision },
        ...(after.newRoleIds && { newRoleIds: { from: null, to: after.newRoleIds } }),
      });
      return { itemId, ok: true, item: shownItem(after), error: null };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const document = error.toDocument(currentScope().requestId);
      return { itemId, ok: false, item: null, error: document as never }; // its schema
    }
  }
}

/** An item that the caller may decide. @throws Problem 404. */
function visible(item: AccessReviewItem | undefined): AccessReviewItem {
  const isAssigned = item?.reviewerId === currentPrincipal().membershipId;
  if (!item || !(isAssigned || holds(DECIDE))) throw Problem.notFound();
  return item;
}

/** @throws Problem 400, 409 `invalid_transition`. */
function refuse(item: AccessReviewItem, { decision, reason, newRoleIds = [] }: DecisionInput, place: string): void {
  if (!OPEN.includes(item.decision))
    throw invalidTransition(decision, { state: item.decision }, [], 'The item has been decided already.');
  const invalid = (field: string, code: string, detail: string) =>
    Problem.validation([{ pointer: `${place}/${field}`, code, detail }]);
  const isRisky = item.flags.includes('privileged') && item.flags.length > 1;
  if (decision === 'keep' && isRisky && reason === undefined)
    throw invalid('reason', 'required', `Give a reason to keep this item: ${item.flags.join(', ')}.`);
  if (decision !== 'reduce') return;
  if (item.subjectType !== 'membership')
    throw invalid('decision', 'invalid_value', 'Only the roles of members can be reduced.');
  const held = item.snapshot.roles.map(({ id }) => id);
  if (newRoleIds.length >= held.length || newRoleIds.some((id) => !held.includes(id)))
    throw invalid('newRoleIds', 'invalid_value', 'The roles must be some, but not all, of those of the member.');
}

function decidedItem(before: AccessReviewItem, input: DecisionInput, at: string): AccessReviewItem {
  const { decision, reason: given, newRoleIds } = input;
  const { actor: by } = currentScope();
  const reason = given ?? null;
  const decided = { decision, reason, newRoleIds: newRoleIds ?? null, decidedBy: by, decidedAt: at };
  return { ...before, ...decided, history: [...before.history, { decision, reason, by, at }] };
}
