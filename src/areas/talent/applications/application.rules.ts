import { bodyViolations } from '#libs/http/validation.js';
import { Problem } from '#libs/kernel/problem.js';
import type { JobStage } from '../jobs/job.stages.js';
import { MoveApplication } from './application.actions.js';

/** Whether an open application in the stage is under review. */
export const isActive = ({ category }: JobStage): boolean => category === 'active';

/** Whether a patch triggers an action. */
export const isForAction = (patch: object): boolean => 'status' in patch || 'stage' in patch;

/** The move that a patch of `stage` requests; null for other patches. @throws Problem 400 for additional fields. */
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

/** 409 when an open job is required. */
export function notOpen(): Problem {
  return new Problem('job_not_open', 'The job is not open.');
}

/** 400 for a record that does not exist or is not visible to the caller. */
export function unknown(pointer: string): Problem {
  return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
}
