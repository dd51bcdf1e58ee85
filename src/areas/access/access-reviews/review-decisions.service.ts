import { Injectable } from '@nestjs/common';
import { callerOrNull, currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { includesAll } from '#libs/auth/rights.js';
import type { RoleGrant } from '#libs/auth/roles.js';
import { isBehindCaller } from '#libs/auth/second-person.js';
import type { Transaction } from '#libs/database/transaction.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { RoleBook } from '#libs/members/role-book.js';
import { currentScope } from '#libs/tenancy/scope.js';
import type { AccessReview } from './access-review.js';
import { type AccessReviewItem, isStuck, OPEN, shownItem } from './access-review-item.js';
import type { DecisionInput, DecisionResult } from './access-review.requests.js';
import { ReviewRecords } from './review-records.js';
import { Reviewers } from './reviewers.js';

const DECIDE = 'access-reviews:decide';

/** Decides items of access reviews. */
@Injectable()
export class ReviewDecisions {
  constructor(
    private readonly records: ReviewRecords,
    private readonly reviewers: Reviewers,
    private readonly roles: RoleBook,
  ) {}

  /**
   * Decides items of a locked review that is in progress, or anew those that could not be applied. A refused decision
   * does not affect the others. After the last one, the review waits for its revocations.
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
    const results: DecisionResult[] = [];
    for (const [index, decision] of decisions.entries()) {
      const item = known.get(decision.itemId);
      const isClosed = item !== undefined && isOwn(item) && !(await this.isLeftToCaller(transaction, item));
      results.push(await this.decideOne(transaction, { item, isClosed }, decision, index));
    }
    if (!results.some(({ ok }) => ok)) return { review, results };
    const decided = this.records.decided(transaction, review);
    const isDone =
      review.status === 'in_progress' && (await this.records.items.openCount(transaction, review.id)) === 0;
    return { review: isDone ? this.records.finish(transaction, decided) : decided, results };
  }

  /** Whether an item about the last owner, whose access cannot be removed, would stay open because nobody else is there. */
  private async isLeftToCaller(transaction: Transaction, item: AccessReviewItem): Promise<boolean> {
    const memberId = callerOrNull()?.membershipId;
    if (!memberId || item.applyError?.code !== 'last_owner') return false;
    return !(await this.reviewers.hasOther(transaction, memberId));
  }

  /** @throws Problem 400 unless the new roles leave the member with less, and with nothing that they did not hold. */
  private async refuseWider(
    transaction: Transaction,
    { snapshot }: AccessReviewItem,
    { newRoleIds = [] }: DecisionInput,
    place: string,
  ): Promise<void> {
    const ids = snapshot.roles.map(({ id }) => id);
    const held = await this.roles.known(transaction, ids);
    const wanted = await this.roles.resolve(transaction, newRoleIds, `${place}/newRoleIds`);
    const [has, gets] = [held, wanted].map((roles) => roles.flatMap(({ grants }) => grants)) as [
      RoleGrant[],
      RoleGrant[],
    ];
    if (ids.every((id) => newRoleIds.includes(id)) || !includesAll(has, gets))
      throw invalid(
        place,
        'newRoleIds',
        'invalid_value',
        'The roles must be without one of the member’s, and without permissions that the member does not hold.',
      );
  }

  private async decideOne(
    transaction: Transaction,
    { item, isClosed }: { item: AccessReviewItem | undefined; isClosed: boolean },
    input: DecisionInput,
    index: number,
  ): Promise<DecisionResult> {
    const { itemId } = input;
    try {
      const before = visible(item);
      if (isClosed) throw new Problem('not_by_oneself', 'Nobody can decide on their own access; ask another reviewer.');
      refuse(before, input, `/decisions/${index}`);
      if (input.decision === 'reduce') await this.refuseWider(transaction, before, input, `/decisions/${index}`);
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
function refuse(item: AccessReviewItem, { decision, reason }: DecisionInput, place: string): void {
  if (!OPEN.includes(item.decision) && !isStuck(item))
    throw invalidTransition(decision, { state: item.decision }, [], 'The item has been decided already.');
  if (isStuck(item) && reason === undefined)
    throw invalid(place, 'reason', 'required', 'Give a reason to decide again on what could not be applied.');
  if (isStuck(item) && decision === 'defer')
    throw invalid(place, 'decision', 'invalid_value', 'What could not be applied cannot be deferred.');
  const isRisky = item.flags.includes('privileged') && item.flags.length > 1;
  if (decision === 'keep' && isRisky && reason === undefined)
    throw invalid(place, 'reason', 'required', `Give a reason to keep this item: ${item.flags.join(', ')}.`);
  if (decision === 'reduce' && item.subjectType !== 'membership')
    throw invalid(place, 'decision', 'invalid_value', 'Only the roles of members can be reduced.');
}

function invalid(place: string, field: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer: `${place}/${field}`, code, detail }]);
}

function decidedItem(before: AccessReviewItem, input: DecisionInput, at: string): AccessReviewItem {
  const { decision, reason: given, newRoleIds } = input;
  const { actor: by } = currentScope();
  const reason = given ?? null;
  const decided = { decision, reason, newRoleIds: newRoleIds ?? null, decidedBy: by, decidedAt: at };
  return { ...before, ...decided, applyError: null, history: [...before.history, { decision, reason, by, at }] };
}
