import type { Transaction } from '#libs/database/transaction.js';

/** Checks deferred constraints now, while only this work would be undone. */
export const CHECK_NOW = { text: 'set constraints all immediate', values: [] };

/** Ends a rehearsal, and carries what the work returned past the rollback. */
class Rehearsed<T> extends Error {
  constructor(readonly outcome: T) {
    super();
  }
}

/**
 * Does something and rolls it back, to find out whether it would succeed and what it would return.
 * @throws whatever the work and the database say.
 */
export async function rehearse<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
  try {
    return await transaction.savepoint<never>(async () => {
      const outcome = await work();
      await transaction.query(CHECK_NOW);
      throw new Rehearsed(outcome);
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
    return (error as Rehearsed<T>).outcome; // inner rehearsals catch their own
  }
}
