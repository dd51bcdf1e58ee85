import type { Automations, RunFailure } from '#libs/automation/automations.js';
import { timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { Move } from '#libs/kernel/lifecycle.js';
import type { OfOrderer } from '#libs/worker/on-behalf.js';
import { giveUpNextStep, plannedSteps, type PlanProgress, runNextStep, type StepWork } from './run-next-step.js';
import type { Step, StepTarget } from './step.js';

/** A row that keeps the steps of its plan. */
export interface Planned {
  id: string;
  status: string;
  steps: Step[];
}

/** What undoing a step did to one record: `isUndone` is false for what was kept, because somebody has used it. */
export interface Undone {
  key: string;
  isUndone: boolean;
  target: StepTarget;
}

/** A step with its work, and what takes it back. */
export interface PlanStep<S> extends StepWork<S> {
  /** Undoes what the step has done, in the open transaction. */
  undo?(subject: S, target: StepTarget, transaction: Transaction): Promise<Undone[]>;
}

/** What the steps of a plan make. */
interface Makes<R> {
  /**
   * Fields of the row with the id of what a step has made, by the key of the step. They are null again once that record
   * is gone.
   */
  made: Readonly<Record<string, keyof R>>;
}

/** The plan of a type: its rows run the steps one by one, each in a transaction of its own that also records it. */
export interface Plan<R extends Planned, S> extends Makes<R> {
  /** Kind of the timer that runs the next step; its key is the id of the row. */
  timer: string;
  /** Who has approved it. */
  onBehalf: OfOrderer;
  /**
   * Asks before each step whether it is still what was approved, and whether who approved it still may.
   * @throws Problem 401, 403 or 409 `approval_changed`, which fails the step.
   */
  requireKept(subject: S, transaction: Transaction): Promise<void>;
  /** What a step that ran, the last one, and one that failed do to the row. */
  moves: Readonly<Record<'execute' | 'complete' | 'fail', Move<R['status']>>>;
  steps: readonly PlanStep<S>[];
  /** One transaction; violated constraints become problems. */
  unit(work: (transaction: Transaction) => Promise<void>): Promise<void>;
  /** Locks a row and what its steps work on; null if it is gone. */
  open(transaction: Transaction, id: string): Promise<{ row: R; subject: S } | null>;
  /** Locks a row only. */
  lock(transaction: Transaction, id: string): Promise<R | null>;
  /** Changes a locked row, with audit entry and event. */
  change(transaction: Transaction, row: R, changes: Partial<R>, event: string): unknown;
  /** Fields of the row that change when all steps are over. */
  finished?(): Partial<R>;
  now(): string;
}

/** Runs a plan in the worker. A row that has left the states of `execute` is left alone. */
export function runPlan<R extends Planned, S>(automations: Automations, plan: Plan<R, S>): void {
  const isRunning = ({ status }: R) => plan.moves.execute.from.includes(status);
  automations.timer({
    kind: plan.timer,
    onBehalf: plan.onBehalf,
    fire: (id) =>
      plan.unit(async (transaction) => {
        const opened = await plan.open(transaction, id);
        if (!opened || !isRunning(opened.row)) return;
        const { row, subject: record } = opened;
        const { steps } = row;
        const lost = steps.find((step) => isLost(plan, row, step));
        const next = lost
          ? giveUpNextStep(steps, { code: 'not_found', detail: `What the step ${lost.key} made is gone.` }, plan.now())
          : await runNextStep(transaction, plan, { record, steps, at: plan.now() });
        recordProgress(transaction, plan, row, next);
      }),
    gaveUp: async (transaction: Transaction, id: string, failure: RunFailure) => {
      const row = await plan.lock(transaction, id);
      if (row && isRunning(row)) recordProgress(transaction, plan, row, giveUpNextStep(row.steps, failure, plan.now()));
    },
  });
}

/** Takes back what the steps of a locked row have done and what still exists, the last step first. */
export async function undoPlan<R extends Planned, S>(
  transaction: Transaction,
  plan: Plan<R, S>,
  { row, subject }: { row: R; subject: S },
): Promise<Undone[]> {
  const undone: Undone[] = [];
  for (const step of row.steps.toReversed()) {
    const work = plan.steps.find(({ key }) => key === step.key);
    if (step.target && work?.undo && !isLost(plan, row, step))
      undone.push(...(await work.undo(subject, step.target, transaction)));
  }
  return undone;
}

/**
 * The steps of a row that is tried again. From the first one on whose result is gone for good they run anew, because
 * what they did about it is gone too; only what later ones have made, and what still exists, stays.
 */
export function stepsAgain<R extends Planned>(plan: Makes<R>, row: R): Step[] {
  const first = row.steps.findIndex((step) => isLost(plan, row, step));
  const stays = ({ key }: Step, index: number) => index < first || row[plan.made[key]!] != null;
  return first < 0 ? row.steps : row.steps.map((step, index) => (stays(step, index) ? step : plannedSteps([step])[0]!));
}

/** Whether what a step has made is gone for good. */
function isLost<R extends Planned>({ made }: Makes<R>, row: R, { key, target }: Step): boolean {
  return target !== null && key in made && row[made[key]!] === null;
}

const MOVES = { continue: 'execute', finished: 'complete', failed: 'fail' } as const;

function recordProgress<R extends Planned, S>(
  transaction: Transaction,
  plan: Plan<R, S>,
  row: R,
  { steps, status, until }: PlanProgress,
): void {
  const { to, event } = plan.moves[MOVES[status]];
  const made = steps
    .filter((step) => !row.steps.includes(step))
    .flatMap(({ key, target }) => (target && key in plan.made ? [[plan.made[key], target.id]] : []));
  const changes: unknown = {
    ...(Object.fromEntries(made) as object),
    ...(status === 'finished' ? plan.finished?.() : {}),
    steps,
    status: to ?? row.status,
  };
  plan.change(transaction, row, changes as Partial<R>, event);
  if (status === 'continue') transaction.write(timerStatement({ kind: plan.timer, key: row.id, dueAt: until }));
}
