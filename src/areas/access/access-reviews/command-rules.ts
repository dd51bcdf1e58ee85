import { formViolations } from '#libs/http/command.js';
import type { Violation } from '#libs/kernel/problem.js';
import { type AccessReviewCommand, itemDecision, reviewCommand } from './access-review.requests.js';
import type { ReviewTerms } from './review-starts.service.js';

const YEAR_MS = 366 * 86_400_000;
const SELECTIONS = ['memberships', 'apiKeys', 'grants', 'scimGroups', 'scimConfigurations'] as const;

/** What is wrong with a command before anything is read. */
export function commandViolations(input: AccessReviewCommand, now: string): Violation[] {
  return [
    ...formViolations(reviewCommand, input),
    ...termViolations(input),
    ...decisionViolations(input),
    ...rangeViolations(input, now),
  ];
}

/** A due date that is not in the future, or more than a year ahead. */
function rangeViolations({ dueAt }: AccessReviewCommand, now: string): Violation[] {
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

function* decisionViolations({ decisions = [] }: AccessReviewCommand): Generator<Violation> {
  const decided = new Set<string>();
  for (const [index, decision] of decisions.entries()) {
    const place = `/decisions/${index}`;
    if (decided.has(decision.itemId))
      yield { pointer: `${place}/itemId`, code: 'not_unique', detail: 'The item is decided twice.' };
    yield* formViolations(itemDecision, decision, place);
    decided.add(decision.itemId);
  }
}
