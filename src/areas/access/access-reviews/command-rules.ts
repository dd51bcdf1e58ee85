import type { Violation } from '#libs/kernel/problem.js';
import type { AccessReviewCommand, DecisionInput, ReviewAction } from './access-review.requests.js';
import type { ReviewTerms } from './review-starts.service.js';

const YEAR_MS = 366 * 86_400_000;
const SELECTIONS = ['memberships', 'apiKeys', 'grants', 'scimGroups', 'scimConfigurations'] as const;

/** Body members that each action requires and accepts. */
const TAKEN: Record<
  ReviewAction,
  { required: readonly (keyof AccessReviewCommand)[]; optional: readonly (keyof AccessReviewCommand)[] }
> = {
  create: { required: ['name', 'scope', 'dueAt'], optional: ['reviewers', 'onNoDecision', 'recurrence', 'start'] },
  start: { required: ['campaignId'], optional: ['dueAt'] },
  decide: { required: ['campaignId', 'decisions'], optional: [] },
  complete: { required: ['campaignId'], optional: [] },
  cancel: { required: ['campaignId', 'reason'], optional: [] },
  remind: { required: ['campaignId'], optional: [] },
};

/** Missing and unexpected members of a command. */
export function formViolations(action: ReviewAction, input: AccessReviewCommand): Violation[] {
  const { required, optional } = TAKEN[action];
  const missing = required.filter((member) => input[member] === undefined);
  const known = new Set<string>(['action', ...required, ...optional]);
  const surplus = Object.entries(input).filter(([member, value]) => value !== undefined && !known.has(member));
  return [
    ...missing.map((member) => ({ pointer: `/${member}`, code: 'required', detail: `Required for ${action}.` })),
    ...surplus.map(([member]) => ({
      pointer: `/${member}`,
      code: 'not_with_action',
      detail: `Not allowed for ${action}.`,
    })),
    ...termViolations(input),
    ...(input.decisions ?? []).flatMap((decision, index) => [
      ...decisionViolations(decision, `/decisions/${index}`, input.decisions!.slice(0, index)),
    ]),
  ];
}

/** A due date that is not in the future, or more than a year ahead. */
export function rangeViolations({ dueAt }: AccessReviewCommand, now: string): Violation[] {
  if (dueAt === undefined) return [];
  const aheadMs = Date.parse(dueAt) - Date.parse(now);
  if (aheadMs > 0 && aheadMs <= YEAR_MS) return [];
  return [{ pointer: '/dueAt', code: 'out_of_range', detail: 'It must be in the future, within a year.' }];
}

/** The terms of a new review, as stored. */
export function termsOf({
  name,
  scope = {},
  reviewers,
  dueAt,
  onNoDecision,
  recurrence,
}: AccessReviewCommand): ReviewTerms {
  const selected = Object.fromEntries(SELECTIONS.map((each) => [each, scope[each] ?? false]));
  return {
    name: name!,
    scope: { ...selected, roleIds: scope.roleIds ?? [], workspaceIds: scope.workspaceIds ?? [] },
    reviewers: { strategy: reviewers?.strategy ?? 'manager', membershipIds: reviewers?.membershipIds ?? [] },
    dueAt: new Date(dueAt!).toISOString(),
    onNoDecision: onNoDecision ?? null,
    recurrence: recurrence ?? 'none',
  };
}

function* termViolations({ scope, reviewers }: AccessReviewCommand): Generator<Violation> {
  if (scope && (scope.roleIds ?? []).length === 0 && !SELECTIONS.some((each) => scope[each]))
    yield { pointer: '/scope', code: 'required', detail: `Select something: roleIds, ${SELECTIONS.join(', ')}.` };
  if (reviewers?.strategy === 'named' && (reviewers.membershipIds ?? []).length === 0)
    yield { pointer: '/reviewers/membershipIds', code: 'required', detail: 'Required for the strategy named.' };
}

function* decisionViolations(
  { itemId, decision, reason, newRoleIds }: DecisionInput,
  place: string,
  earlier: readonly DecisionInput[],
): Generator<Violation> {
  if (earlier.some((each) => each.itemId === itemId))
    yield { pointer: `${place}/itemId`, code: 'not_unique', detail: 'The item is decided twice.' };
  if ((decision === 'revoke' || decision === 'reduce') && reason === undefined)
    yield { pointer: `${place}/reason`, code: 'required', detail: `Required for ${decision}.` };
  if (decision === 'reduce' && newRoleIds === undefined)
    yield { pointer: `${place}/newRoleIds`, code: 'required', detail: 'Required for reduce.' };
  if (decision !== 'reduce' && newRoleIds !== undefined)
    yield { pointer: `${place}/newRoleIds`, code: 'not_with_decision', detail: 'Only allowed for reduce.' };
}
