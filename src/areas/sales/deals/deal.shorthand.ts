import { bodyViolations } from '#libs/http/validation.js';
import { notWith, Problem, type Violation } from '#libs/kernel/problem.js';
import type { Input } from '#libs/resource/types/decisions.js';
import { DEAL_INPUTS } from './deal.actions.js';
import type { Deal } from './deal.js';

const LOST_FIELDS = ['lostReason', 'lostNotes', 'competitor'];
const TRANSITION_FIELDS = ['status', 'stage', 'pipelineId', 'closedAt', 'force', 'reason'];

/**
 * The action requested by a patch of `status`, `stage` or `pipelineId`; null for a plain edit. The kit handles
 * `status`; stage and pipeline are changed by actions too.
 * @throws Problem 400 when the patch mixes an action with an edit.
 */
export function dealShorthand(
  patch: Input,
): { action: 'win' | 'lose' | 'reopen' | 'change_pipeline' | 'move'; input: Input } | null {
  const action = actionOf(patch);
  if (!action) return null;
  const { status: _, ...input } = patch;
  const violations = bodyViolations(DEAL_INPUTS[action], input);
  if (violations.length > 0) throw Problem.validation(violations.map(asNotWithTransition));
  return { action, input };
}

/** @throws Problem 400 for action fields in a plain edit; those of a loss may be edited while the deal is lost. */
export function refuseMisplaced({ status }: Deal, patch: object): void {
  const reserved = status === 'lost' ? TRANSITION_FIELDS : [...TRANSITION_FIELDS, ...LOST_FIELDS];
  const misplaced = reserved.filter((field) => field in patch);
  if (misplaced.length > 0) throw Problem.validation(misplaced.map(onlyWithStatus));
}

function actionOf(patch: Input) {
  if (patch['status'] === 'won') return 'win';
  if (patch['status'] === 'lost') return 'lose';
  if (patch['status'] === 'open') return 'reopen';
  if ('pipelineId' in patch) return 'change_pipeline';
  return 'stage' in patch ? 'move' : null;
}

function asNotWithTransition(violation: Violation): Violation {
  if (violation.code !== 'unknown_field') return violation;
  return { ...violation, ...notWith('transition', 'Change this field in a request of its own.') };
}

function onlyWithStatus(field: string): Violation {
  return {
    pointer: `/${field}`,
    code: 'only_with_transition',
    detail: 'The field belongs to a transition or a lost deal.',
  };
}
