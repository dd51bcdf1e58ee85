import { Problem } from '#libs/kernel/problem.js';

/** Reason why a deal cannot be changed, as a sentence; null if it can. Runs in the transaction of the change. */
export type DealHold = (dealId: string, action: 'delete' | 'reopen') => Promise<string | null>;

/** What follows for something else when a deal is reopened. Runs in the same transaction, with the deal locked. */
export type DealReopening = (dealId: string) => Promise<void>;

/** Registered checks that can prevent deals from being deleted or reopened, and consequences of reopening one. */
export class DealHolds {
  private readonly holds: DealHold[] = [];
  private readonly reopenings: DealReopening[] = [];

  add(hold: DealHold): void {
    this.holds.push(hold);
  }

  follow(reopening: DealReopening): void {
    this.reopenings.push(reopening);
  }

  async reopened(id: string): Promise<void> {
    for (const reopening of this.reopenings) await reopening(id);
  }

  /** @throws Problem 409 `record_locked`. */
  async refuseHeld(id: string, action: 'delete' | 'reopen'): Promise<void> {
    for (const hold of this.holds) {
      const reason = await hold(id, action);
      if (reason !== null) throw new Problem('record_locked', reason);
    }
  }
}
