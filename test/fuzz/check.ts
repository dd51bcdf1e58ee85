import fc, { type IAsyncProperty } from 'fast-check';
import { CASES, SEED } from './settings.js';

/** Time limit for a property, including shrinking. */
const LIMIT_MS = 60_000 + CASES * 2_000;

/** Jest's limit for a test of a property. */
export const TEST_TIMEOUT_MS = LIMIT_MS + 30_000;

/** Runs a property. @throws Error with the smallest failing request and the seed to reproduce it. */
export async function holds<T extends [unknown, ...unknown[]]>(
  property: IAsyncProperty<T>,
  cases: number,
  examples: T[] = [],
): Promise<void> {
  const details = await fc.check(property, {
    seed: SEED,
    numRuns: cases,
    examples,
    interruptAfterTimeLimit: LIMIT_MS,
    markInterruptAsFailure: true,
  });
  if (!details.failed) return;
  const why = details.errorInstance instanceof Error ? details.errorInstance.message : 'It took too long.';
  throw new Error(`${why}\nAfter ${details.numRuns} cases. Again: FUZZ_SEED=${details.seed} FUZZ_CASES=${cases}`);
}
