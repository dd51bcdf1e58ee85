import { Problem } from '#libs/kernel/problem.js';

/** Reason why a deal cannot be changed, as a sentence; null if it can. Runs in the transaction of the change. */
export type DealHold = (dealId: string, action: 'delete' | 'reopen') => Promise<string | null>;

/** What follows when a deal is reopened or lost. Runs in the same transaction, with the deal locked. */
export type DealFailure = (dealId: string, reason: string) => Promise<void>;

/** Registered checks that can prevent deals from being deleted or reopened, and consequences of reopening or losing one. */
export class DealHolds {
  private readonly holds: DealHold[] = [];
  private readonly failures: DealFailure[] = [];

  add(hold: DealHold): void {
    this.holds.push(hold);
  }

  follow(failure: DealFailure): void {
    this.failures.push(failure);
  }

  async failed(id: string, reason: string): Promise<void> {
    for (const failure of this.failures) await failure(id, reason);
  }

  /** @throws Problem 409 `record_locked`. */
  async refuseHeld(id: string, action: 'delete' | 'reopen'): Promise<void> {
    for (const hold of this.holds) {
      const reason = await hold(id, action);
      if (reason !== null) throw new Problem('record_locked', reason);
    }
  }
}
