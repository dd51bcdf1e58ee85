import { bodyViolations } from '#libs/http/validation.js';
import { Problem } from '#libs/kernel/problem.js';
import type { JobStage } from '../jobs/job.stages.js';
import { MoveApplication } from './application.actions.js';

/** Whether an open application in the stage is being looked at. */
export const isActive = ({ category }: JobStage): boolean => category === 'active';

/** Whether a patch stands for an action. */
export const isForAction = (patch: object): boolean => 'status' in patch || 'stage' in patch;

/** A patch of `stage` stands for a move; null for any other. @throws Problem 400 for one that says more. */
export function moveOf<Patch extends object>(patch: Patch): { action: 'move'; input: Patch } | null {
  if ('status' in patch || !('stage' in patch)) return null;
  const violations = bodyViolations(MoveApplication, patch);
  if (violations.length > 0) throw Problem.validation(violations);
  return { action: 'move', input: patch };
}

/** The stage with a key. @throws Problem 400 `unknown_stage`. */
export function openStage(stages: JobStage[], key: string): JobStage {
  const stage = stages.find((each) => each.key === key);
  if (stage) return stage;
  const detail = `The stages are ${stages.map((each) => each.key).join(', ')}.`;
  throw Problem.validation([{ pointer: '/stage', code: 'unknown_stage', detail }]);
}

/** 409 for what needs an open job. */
export function notOpen(): Problem {
  return new Problem('job_not_open', 'The job is not open.');
}

/** 400 for a record that is not there, or that the caller may not see. */
export function unknown(pointer: string): Problem {
  return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
}
