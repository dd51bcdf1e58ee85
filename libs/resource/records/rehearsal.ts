import type { Transaction } from '#libs/database/transaction.js';

/** Checks deferred constraints now, while only this work needs to be undone. */
export const CHECK_NOW = { text: 'set constraints all immediate', values: [] };

class Rehearsed extends Error {}

/**
 * Does something and rolls it back, to find out whether it would succeed.
 * @throws whatever the work and the database say.
 */
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
