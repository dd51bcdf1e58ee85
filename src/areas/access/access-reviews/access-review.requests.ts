import { command } from '#libs/http/command.js';
import { Field, fieldsOf, flag, id, instant, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { ProblemDocument } from '#libs/http/problems/problem.dto.js';
import { within } from '#libs/kernel/action.js';
import { moves } from '#libs/kernel/lifecycle.js';
import { member } from '#libs/resource/types/envelope.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { model, PageInfo } from '#libs/resource/types/record.dto.js';
import { accessReviews, type ShownReview } from './access-review.js';
import {
  AccessReviewItemView,
  DECISIONS,
  type Decision,
  FLAGS,
  type Flag,
  SUBJECT_TYPES,
} from './access-review-item.js';
import {
  AccessReviewers,
  AccessReviewScope,
  DEFAULT_DECISIONS,
  type DefaultDecision,
  type Recurrence,
  RECURRENCES,
  type ReviewStatus,
  STATUSES,
} from './access-review.parts.js';

/** Maximum number of decisions per request. */
export const MAX_DECISIONS = 50;
/** Maximum number of revocations that one request applies. */
export const MAX_APPLIED = 200;

const ACTIONS = ['create', 'start', 'decide', 'complete', 'cancel', 'remind'] as const;
export type ReviewAction = (typeof ACTIONS)[number];
const DECIDED = DECISIONS.filter((each) => each !== 'pending');
export type Decided = Exclude<Decision, 'pending'>;

const reason = () => text({ min: 1, max: 1_000, pattern: /\S/ });

export class AccessReviewQuery extends PageQuery {
  @Field(id(), { description: 'Returns this review with a page of its items instead of the list.', optional: true })
  campaignId?: string;

  @Field(oneOf(STATUSES), { description: 'Only reviews with this status.', optional: true })
  status?: ReviewStatus;

  @Field(listOf(oneOf(['items']), { max: 1 }), {
    description: '`items`, the default with `campaignId` and only allowed with it.',
    optional: true,
    example: ['items'],
  })
  include?: string[];

  @Field(oneOf(DECISIONS), {
    description: 'Only items with this decision, or reviews with such items.',
    optional: true,
  })
  decision?: Decision;

  @Field(oneOf(FLAGS), { description: 'Only items with this flag, or reviews with such items.', optional: true })
  flag?: Flag;

  @Field(member(), {
    description: 'Only items assigned to this member, or reviews with such items.',
    optional: true,
    example: 'me',
  })
  reviewerId?: string;

  @Field(id(), {
    description: 'Only items about this membership, key, exception or connection, or reviews with such items.',
    optional: true,
  })
  subjectId?: string;
}
asksForNames(AccessReviewQuery, 'newest first');

export class AccessReviewPage {
  @Field(listOf(nested(accessReviews.view), { max: 200 }), { description: 'The reviews of this page.' })
  data!: ShownReview[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;
}

export class AccessReviewItems {
  @Field(listOf(nested(AccessReviewItemView), { max: 200 }), { description: 'The items of this page.' })
  data!: AccessReviewItemView[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;
}

export const AccessReviewWithItems = model('AccessReviewWithItems', {
  ...Object.fromEntries(fieldsOf(accessReviews.view)),
  items: { kind: nested(AccessReviewItems), description: 'A page of the items that you can see.' },
});
export type AccessReviewWithItems = ShownReview & { items: AccessReviewItems };

export class DecisionInput {
  @Field(id(), { description: 'The item.' })
  itemId!: string;

  @Field(oneOf(DECIDED), {
    description:
      '`keep` and `revoke` are final; `reduce` leaves a member with `newRoleIds`; `defer` postpones the decision. An item with an `applyError` can be decided again, except with `defer`.',
    example: 'revoke',
  })
  decision!: Decided;

  @Field(reason(), {
    description:
      'Reason; required for `revoke` and `reduce`, to keep an item that has the flag `privileged` and another one, and to decide again on an item with an `applyError`.',
    example: 'Left the project',
    optional: true,
  })
  reason?: string;

  @Field(listOf(id(), { min: 1, max: 100, unique: true }), {
    description:
      'For `reduce`: the roles that the member has afterwards. They have no permission that the member does not hold, and lack at least one of the roles of `snapshot`.',
    optional: true,
  })
  newRoleIds?: string[];
}

export const itemDecision = command(
  DecisionInput,
  {
    keep: { takes: ['reason'] },
    revoke: { needs: ['reason'] },
    reduce: { needs: ['reason', 'newRoleIds'] },
    defer: { takes: ['reason'] },
  },
  { by: 'decision', checkedBy: 'service' },
);

export class AccessReviewCommand {
  @Field(oneOf(ACTIONS), {
    description:
      'Defaults to `create`. `start` fixes the population and assigns reviewers; `decide` decides items; `complete` applies the revocations; `cancel` ends the review without effect; `remind` mails reviewers with open items.',
    example: 'create',
    optional: true,
  })
  action?: ReviewAction;

  @Field(id(), { description: 'The review; required for every action except `create`.', optional: true })
  campaignId?: string;

  @Field(name(), { description: 'Display name; required for `create`.', example: 'Quarterly review', optional: true })
  name?: string;

  @Field(nested(AccessReviewScope), {
    description: 'What to review; required for `create`.',
    example: { memberships: true, apiKeys: true },
    optional: true,
  })
  scope?: AccessReviewScope;

  @Field(nested(AccessReviewers), {
    description: 'Who reviews; defaults to the managers.',
    example: { strategy: 'manager' },
    optional: true,
  })
  reviewers?: AccessReviewers;

  @Field(instant(), {
    description:
      'Time by which everything has to be decided, within a year; required for `create`, and for `start` if it has passed.',
    example: '2099-12-12T09:00:00.000Z',
    optional: true,
  })
  dueAt?: string;

  @Field(oneOf(DEFAULT_DECISIONS), {
    description: 'Decision for items still open at `dueAt`; by default privileged ones are revoked and others kept.',
    optional: true,
  })
  onNoDecision?: DefaultDecision;

  @Field(oneOf(RECURRENCES), {
    description: 'How often a new review with the same settings starts, counted from the start; defaults to `none`.',
    example: 'quarterly',
    optional: true,
  })
  recurrence?: Recurrence;

  @Field(flag(), { description: 'For `create`: start it at once.', optional: true })
  start?: boolean;

  @Field(listOf(nested(DecisionInput), { min: 1, max: MAX_DECISIONS }), {
    description: 'For `decide`: the decisions, one per item.',
    optional: true,
  })
  decisions?: DecisionInput[];

  @Field(reason(), { description: 'For `cancel`: the reason.', optional: true })
  reason?: string;
}

const MANAGE = [{ permission: 'access-reviews:manage' }];
export const DECIDE = 'access-reviews:decide';

export const reviewLife = moves({
  states: STATUSES,
  initial: 'draft',
  transitions: {
    start: {
      from: ['draft'],
      to: 'in_progress',
      event: 'started',
      may: MANAGE,
      needs: ['campaignId'],
      takes: ['dueAt'],
    },
    decide: {
      from: ['in_progress', 'pending_actions'],
      to: null,
      event: 'decided',
      may: [within(DECIDE)],
      needs: ['campaignId', 'decisions'],
    },
    complete: { from: ['pending_actions'], to: 'completed', event: 'completed', may: MANAGE, needs: ['campaignId'] },
    cancel: {
      from: ['draft', 'in_progress'],
      to: 'cancelled',
      event: 'cancelled',
      may: MANAGE,
      needs: ['campaignId', 'reason'],
    },
    remind: { from: ['in_progress'], to: null, event: 'reminded', may: MANAGE, needs: ['campaignId'] },
    /** Everything is decided, or the due date has come. */
    finish: { from: ['in_progress'], to: 'pending_actions', event: 'due', byPlatform: true },
  },
});

export const reviewCommand = command(
  AccessReviewCommand,
  {
    create: {
      may: MANAGE,
      needs: ['name', 'scope', 'dueAt'],
      takes: ['reviewers', 'onNoDecision', 'recurrence', 'start'],
    },
    ...reviewLife.transitions,
  },
  { by: 'action', otherwise: 'create', checkedBy: 'service' },
);

export const EFFECTS = [
  'membership_suspended',
  'roles_removed',
  'api_key_revoked',
  'grant_deleted',
  'scim_configuration_removed',
  'already_gone',
  'reviewer_reminded',
] as const;
export type EffectType = (typeof EFFECTS)[number];

/** What a command did to something else. */
export class AccessReviewEffect {
  @Field(oneOf(EFFECTS), {
    description: 'What was done; `already_gone` means that the access had ended before.',
    example: 'membership_suspended',
  })
  type!: EffectType;

  @Field(oneOf(SUBJECT_TYPES), { description: 'Type of the target.', example: 'membership' })
  subjectType!: string;

  @Field(id(), { description: 'Id of the target.' })
  id!: string;

  @Field(text({ max: 500 }), { description: 'Name of the target.', example: 'Ana Silva' })
  name!: string;
}

export class DecisionResult {
  @Field(id(), { description: 'The item.' })
  itemId!: string;

  @Field(flag(), { description: 'Whether the decision was accepted.' })
  ok!: boolean;

  @Field(nested(AccessReviewItemView), { description: 'The item after the decision; null if refused.', nullable: true })
  item!: AccessReviewItemView | null;

  @Field(nested(ProblemDocument), { description: 'Why it was refused; null if accepted.', nullable: true })
  error!: ProblemDocument | null;
}

export const AccessReviewResult = model('AccessReviewResult', {
  ...Object.fromEntries(fieldsOf(accessReviews.view)),
  effects: {
    kind: listOf(nested(AccessReviewEffect), { max: 10_000 }),
    description: 'What was revoked, or who was reminded.',
    example: [],
  },
  results: {
    kind: listOf(nested(DecisionResult), { max: MAX_DECISIONS }),
    description: 'One result per decision, in the same order; empty for other actions.',
    example: [],
  },
});
export interface CommandOutcome {
  effects: AccessReviewEffect[];
  results: DecisionResult[];
}
export type AccessReviewResult = ShownReview & CommandOutcome;
