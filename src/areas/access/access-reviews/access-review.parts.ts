import { Field, flag, id, integer, listOf, number, oneOf } from '#libs/http/field.js';

export const STATUSES = ['draft', 'in_progress', 'pending_actions', 'completed', 'cancelled'] as const;
export type ReviewStatus = (typeof STATUSES)[number];
export const STRATEGIES = ['manager', 'workspace_lead', 'named'] as const;
export const DEFAULT_DECISIONS = ['keep', 'revoke'] as const;
export type DefaultDecision = (typeof DEFAULT_DECISIONS)[number];
export const RECURRENCES = ['none', 'monthly', 'quarterly', 'yearly'] as const;
export type Recurrence = (typeof RECURRENCES)[number];

const ids = () => listOf(id(), { max: 100, unique: true });
const count = integer({ min: 0, max: 2_147_483_647 });

/** What a review covers. Everything selected is reviewed; `roleIds` and `workspaceIds` narrow the selection. */
export class AccessReviewScope {
  @Field(flag(), {
    description: 'All active and invited members, or those with one of `roleIds`.',
    example: true,
    optional: true,
  })
  memberships?: boolean;

  @Field(ids(), {
    description: 'Only members who hold one of these roles; selects them also without `memberships`.',
    example: [],
    optional: true,
  })
  roleIds?: string[];

  @Field(flag(), { description: 'All valid API keys.', example: true, optional: true })
  apiKeys?: boolean;

  @Field(flag(), {
    description: 'Exceptions to roles that allow access, see `/api/admin/resource-permissions`.',
    optional: true,
  })
  grants?: boolean;

  @Field(flag(), {
    description: 'Members who hold roles or workspaces through a group of an identity provider.',
    optional: true,
  })
  scimGroups?: boolean;

  @Field(flag(), { description: 'Connections to identity providers.', optional: true })
  scimConfigurations?: boolean;

  @Field(ids(), {
    description:
      'Only the members of these workspaces with their personal keys, service keys and exceptions limited to them, and connections that assign them; empty for all.',
    optional: true,
    example: [],
  })
  workspaceIds?: string[];
}

/** Who reviews. */
export class AccessReviewers {
  @Field(oneOf(STRATEGIES), {
    description:
      '`manager`: the manager in the employee directory; `workspace_lead`: the lead of one of the member’s workspaces; `named`: the members in `membershipIds`, in turn. Nobody reviews their own access and a reviewer needs the permission `access-reviews:decide`; otherwise the item goes to the workspace lead, then to a named member, then to an owner or administrator.',
    example: 'manager',
  })
  strategy!: (typeof STRATEGIES)[number];

  @Field(ids(), { description: 'Named reviewers; required for `named`.', example: [], optional: true })
  membershipIds?: string[];
}

/** Figures of a review. A reviewer sees those of their own items. */
export class AccessReviewStats {
  @Field(count, { description: 'Number of items.', example: 40 })
  items!: number;

  @Field(count, { description: 'Items without a decision.', example: 4 })
  pending!: number;

  @Field(count, { description: 'Items deferred, which still need a decision.', example: 1 })
  deferred!: number;

  @Field(count, { description: 'Items to keep.', example: 30 })
  kept!: number;

  @Field(count, { description: 'Items to revoke.', example: 3 })
  revoked!: number;

  @Field(count, { description: 'Members to leave with fewer roles.', example: 2 })
  reduced!: number;

  @Field(count, { description: 'Revocations and reductions that have been applied.', example: 0 })
  applied!: number;

  @Field(count, { description: 'Revocations and reductions whose last attempt failed.', example: 0 })
  failed!: number;

  @Field(number({ min: 0, max: 1_000_000_000 }), {
    description: 'Median time from the start to the decision of a person, in seconds; null without decisions.',
    example: 5_400,
    nullable: true,
  })
  medianDecisionSeconds!: number | null;

  @Field(number({ min: 0, max: 1 }), {
    description: 'Share of the decided items that are kept, from 0 to 1; null without decisions.',
    example: 0.857,
    nullable: true,
  })
  keepRate!: number | null;
}
