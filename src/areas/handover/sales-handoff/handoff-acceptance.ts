import { Injectable } from '@nestjs/common';
import { guarantorOfCaller, Guarantors } from '#libs/auth/guarantors.js';
import { Problem } from '#libs/kernel/problem.js';
import { isCaller, requireAction } from '#libs/resource/access/action-rights.js';
import type { Handoff } from './handoff.js';
import { ACCEPTED, handoffLife } from './handoff.lifecycle.js';
import type { HandoffPromise } from './handoff-promise.js';
import { type HandedDeal, HandoffRecords } from './handoff-records.js';
import type { Execution } from './handoff-steps.js';

const FACTS = ['valueMinor', 'currency', 'accountId'] as const;
const OTHER_DEAL =
  'The value, currency or account of the deal is not what delivery has accepted. Somebody who may accept the handoff has to retry it.';

/** Who may accept handoffs, and whether what they have accepted still holds when the steps run. */
@Injectable()
export class HandoffAcceptance {
  constructor(
    private readonly handoffs: HandoffRecords,
    private readonly guarantors: Guarantors,
  ) {}

  /** What the caller accepts. */
  promiseOf({ valueMinor, currency, accountId }: HandedDeal): HandoffPromise {
    return { valueMinor, currency, accountId, guarantor: guarantorOfCaller() };
  }

  /** The promise after a retry by the caller: a new one if they may accept the handoff, else the former one. */
  async renewed(row: Handoff, deal: HandedDeal): Promise<HandoffPromise | null> {
    try {
      await this.require(row);
      return this.promiseOf(deal);
    } catch (error) {
      if (error instanceof Problem) return row.promise;
      throw error;
    }
  }

  /** @throws Problem 403 unless the caller may accept a handoff. */
  private require(row: Handoff): Promise<void> {
    return requireAction(handoffLife.transitions.accept, row, (right) => this.handoffs.requireFor(row.id, right));
  }

  /** Delivery owners may accept, so those who name themselves need the right to. @throws Problem 403. */
  async requireToName(row: Handoff, deliveryOwnerId: string | null | undefined): Promise<void> {
    if (deliveryOwnerId !== row.deliveryOwnerId && isCaller(deliveryOwnerId))
      await this.handoffs.requireFor(row.id, ACCEPTED.asks);
  }

  /**
   * Asks before each step whether the deal is what was accepted, and whether who accepted it still may.
   * @throws Problem 409 `approval_changed`; 401 or 403.
   */
  async requireKept({ row, deal }: Execution): Promise<void> {
    const { promise } = row;
    if (!promise || FACTS.some((fact) => promise[fact] !== deal[fact]))
      throw new Problem('approval_changed', OTHER_DEAL);
    if (promise.guarantor) await this.guarantors.check(promise.guarantor, `handoff ${row.id}`, () => this.require(row));
  }
}
