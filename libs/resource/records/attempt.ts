import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { CHECK_NOW } from './rehearsal.js';

/** Why an attempt was refused: the code and the detail of the problem. */
export interface Failure {
  code: string;
  detail: string;
}

/**
 * Attempts something inside the open transaction; returns why it was refused, or null. A refusal leaves no changes.
 * Other errors are thrown.
 * @param translate turns a database error into a problem.
 */
export async function attempt(
  transaction: Transaction,
  translate: (error: unknown) => unknown,
  work: () => Promise<unknown>,
): Promise<Failure | null> {
  try {
    await transaction.savepoint(async () => {
      await work();
      await transaction.query(CHECK_NOW);
    });
    return null;
  } catch (thrown) {
    const error = translate(thrown);
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return { code: error.code, detail: error.detail };
  }
}
