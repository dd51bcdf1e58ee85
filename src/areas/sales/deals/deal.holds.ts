import { Problem } from '#libs/kernel/problem.js';

/** Reason why a deal cannot be changed, as a sentence; null if it can. Runs in the transaction of the change. */
export type DealHold = (dealId: string, action: 'delete' | 'reopen') => Promise<string | null>;

/** Registered checks that can prevent deals from being deleted or reopened. */
export class DealHolds {
  private readonly holds: DealHold[] = [];

  add(hold: DealHold): void {
    this.holds.push(hold);
  }

  /** @throws Problem 409 `record_locked`. */
  async refuseHeld(id: string, action: 'delete' | 'reopen'): Promise<void> {
    for (const hold of this.holds) {
      const reason = await hold(id, action);
      if (reason !== null) throw new Problem('record_locked', reason);
    }
  }
}
