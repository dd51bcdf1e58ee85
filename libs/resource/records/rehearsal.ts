import type { Transaction } from '#libs/database/transaction.js';

/** Has constraints speak that would wait for the commit, while they can still undo what they refuse alone. */
export const CHECK_NOW = { text: 'set constraints all immediate', values: [] };

class Rehearsed extends Error {}

/** Does something and undoes it, to find out whether it could be done. @throws whatever the work and the database say. */
export async function rehearse(transaction: Transaction, work: () => Promise<unknown>): Promise<void> {
  try {
    await transaction.savepoint(async () => {
      await work();
      await transaction.query(CHECK_NOW);
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
}
