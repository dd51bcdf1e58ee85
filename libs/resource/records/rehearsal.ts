import type { Transaction } from '#libs/database/transaction.js';

/** Checks deferred constraints now, while only this work would be undone. */
export const CHECK_NOW = { text: 'set constraints all immediate', values: [] };

class Rehearsed extends Error {}

/**
 * Runs work and rolls it back, to find out whether it would succeed.
 * @throws any error of the work or the database.
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
