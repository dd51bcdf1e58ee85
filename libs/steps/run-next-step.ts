import type { RunFailure } from '#libs/automation/automations.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Step, StepReason, StepTarget } from './step.js';

/** What a step has done. */
export type StepOutcome =
  | { status: 'done'; target: StepTarget | null }
  /** There is nothing to do; `error` says why where a person should know. */
  | { status: 'skipped'; error: StepReason | null }
  /** It continues at `until` (RFC 3339). */
  | { status: 'waiting'; until: string };

/** A step of a plan. */
export interface StepWork<R> {
  key: string;
  run(record: R): Promise<StepOutcome>;
}

/** The steps of a plan, and what is asked before each. */
interface StepWorks<R> {
  steps: readonly StepWork<R>[];
  requireKept(record: R, transaction: Transaction): Promise<void>;
}

/** State of a plan after a step. `until` is the time to continue at. */
export interface PlanProgress {
  steps: Step[];
  status: 'continue' | 'finished' | 'failed';
  until: string;
}

/** The steps of a plan that has not begun. */
export function plannedSteps(works: readonly Pick<Step, 'key'>[]): Step[] {
  return works.map(({ key }) => ({ key, status: 'pending', target: null, error: null, at: null }));
}

/**
 * Runs the first step that is neither done nor skipped, in a savepoint. Store the returned steps in the same
 * transaction, so each step takes effect once, and set a timer to continue.
 *
 * A step that is refused (a problem below 500) undoes its own changes and fails the plan. Any other error is thrown, so
 * that the automation is retried.
 */
export async function runNextStep<R>(
  transaction: Transaction,
  works: StepWorks<R>,
  { record, steps, at }: { record: R; steps: readonly Step[]; at: string },
): Promise<PlanProgress> {
  const index = nextIn(steps);
  if (index < 0) return { steps: [...steps], status: 'finished', until: at };
  const step = steps[index]!;
  const work = works.steps.find(({ key }) => key === step.key);
  if (!work) throw new Error(`The step ${step.key} is not part of the plan.`);
  const outcome = await outcomeOf(transaction, { work, works }, record);
  const after: Step = { key: step.key, status: outcome.status, target: null, error: null, at };
  if (outcome.status === 'done') after.target = outcome.target;
  if (outcome.status === 'skipped' || outcome.status === 'failed') after.error = outcome.error;
  const isLast = index === steps.length - 1 && (outcome.status === 'done' || outcome.status === 'skipped');
  return {
    steps: steps.with(index, after),
    status: outcome.status === 'failed' ? 'failed' : isLast ? 'finished' : 'continue',
    until: outcome.status === 'waiting' ? outcome.until : at,
  };
}

/** The plan after the automation has given up its next step: all attempts have thrown an error. */
export function giveUpNextStep(steps: readonly Step[], { code, detail }: RunFailure, at: string): PlanProgress {
  const index = nextIn(steps);
  const failed = { status: 'failed', target: null, error: { code, message: detail }, at } as const;
  return { steps: steps.map((step, i) => (i === index ? { ...step, ...failed } : step)), status: 'failed', until: at };
}

/** Why a plan has failed, as a sentence for people; null unless a step has failed. */
export function failureIn(steps: readonly Step[]): string | null {
  const failed = steps.find(({ status }) => status === 'failed');
  return failed ? `The step ${failed.key} failed: ${failed.error?.message ?? 'unknown error'}` : null;
}

/** Index of the first step that is neither done nor skipped; -1 if there is none. */
function nextIn(steps: readonly Step[]): number {
  return steps.findIndex(({ status }) => status !== 'done' && status !== 'skipped');
}

async function outcomeOf<R>(
  transaction: Transaction,
  { work, works }: { work: StepWork<R>; works: StepWorks<R> },
  record: R,
): Promise<StepOutcome | { status: 'failed'; error: StepReason }> {
  try {
    return await transaction.savepoint(async () => {
      await works.requireKept(record, transaction);
      return work.run(record);
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return { status: 'failed', error: { code: error.code, message: error.detail } };
  }
}
