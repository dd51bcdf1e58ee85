import type { Transaction } from '#libs/database/transaction.js';
import type { Records } from '#libs/resource/records/records.js';
import { CHECK_NOW } from '#libs/resource/records/rehearsal.js';
import type { StepOutcome } from './run-next-step.js';

/**
 * Does the work of a step in a unit of `records`, which translates violated constraints. Sends and checks what the step
 * has written, so that a violated constraint fails the step and not the whole transaction.
 */
export function checkedStep(
  records: Pick<Records, 'unit'>,
  work: (transaction: Transaction) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  return records.unit(async (transaction) => {
    const outcome = await work(transaction);
    await transaction.query(CHECK_NOW);
    return outcome;
  });
}
