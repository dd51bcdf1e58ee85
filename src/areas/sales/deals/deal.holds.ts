import { Problem } from '#libs/kernel/problem.js';

/** A change of a deal that other records can prevent. */
export type HeldChange = 'change_currency' | 'delete' | 'reopen';

/** Reason why a deal cannot be changed, as a sentence; null if it can. Runs in the transaction of the change. */
export type DealHold = (dealId: string, action: HeldChange) => Promise<string | null>;

/** What follows when a deal is reopened or lost. Runs in the same transaction, with the deal locked. */
export type DealFailure = (dealId: string, reason: string, action: 'lose' | 'reopen') => Promise<void>;

/** Ids of the proposals of a deal that were accepted. */
export type AcceptedProposals = (dealId: string) => Promise<string[]>;

/** Registered checks that can prevent changes of deals, and consequences of reopening or losing one. */
export class DealHolds {
  private readonly holds: DealHold[] = [];
  private readonly failures: DealFailure[] = [];

  add(hold: DealHold): void {
    this.holds.push(hold);
  }

  follow(failure: DealFailure): void {
    this.failures.push(failure);
  }

  async failed(id: string, reason: string, action: 'lose' | 'reopen'): Promise<void> {
    for (const failure of this.failures) await failure(id, reason, action);
  }

  /** @throws Problem 409 `record_locked`. */
  async refuseHeld(id: string, action: HeldChange): Promise<void> {
    for (const hold of this.holds) {
      const reason = await hold(id, action);
      if (reason !== null) throw new Problem('record_locked', reason);
    }
  }
}
