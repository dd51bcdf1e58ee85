import { command } from '#libs/http/command.js';
import { emailAddress } from '#libs/http/email-field.js';
import { Field, id, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { tag } from '#libs/resource/types/envelope.js';

export const HANDOFF_STATUSES = [
  'draft',
  'submitted',
  'returned',
  'accepted',
  'executing',
  'failed',
  'completed',
  'cancelled',
] as const;
export type HandoffStatus = (typeof HANDOFF_STATUSES)[number];

/** Fields that a template can require, as paths. */
export const REQUIRABLE = [
  'deliveryOwnerId',
  'dueAt',
  'summary.scope',
  'summary.goals',
  'summary.risks',
  'summary.commitments',
  'summary.stakeholders',
] as const;
export type RequirableField = (typeof REQUIRABLE)[number];

const DEAL_TYPES = ['new_business', 'expansion', 'renewal'] as const;
const RULES = ['deal_owner', 'member', 'workspace_lead'] as const;

const prose = () => text({ max: 10_000 });
const amount = integer({ min: 0, max: MAX_MINOR });

/** A person whom delivery has to know. */
export class Stakeholder {
  @Field(name(), { description: 'Name.', example: 'Grace Hopper' })
  name!: string;

  @Field(text({ max: 200 }), { description: 'Role.', example: 'Sponsor', optional: true, nullable: true })
  role?: string | null;

  @Field(emailAddress(), { description: 'Email address.', optional: true, nullable: true })
  email?: string | null;
}

const stakeholders = () => listOf(nested(Stakeholder), { max: 50 });

/** What delivery has to know about the deal. */
export class HandoffSummary {
  @Field(prose(), {
    description: 'Services that were sold, and those that were not.',
    example: 'Rollout at two sites.',
    nullable: true,
  })
  scope!: string | null;

  @Field(prose(), { description: 'Goals of the customer.', nullable: true })
  goals!: string | null;

  @Field(prose(), { description: 'Known risks.', nullable: true })
  risks!: string | null;

  @Field(prose(), { description: 'Promises to the customer.', nullable: true })
  commitments!: string | null;

  @Field(stakeholders(), { description: 'People whom delivery has to know.', example: [] })
  stakeholders!: Stakeholder[];
}

/** Members of the summary to change. */
export class HandoffSummaryPatch {
  @Field(prose(), {
    description: 'Services that were sold, and those that were not.',
    example: 'Rollout at two sites.',
    optional: true,
    nullable: true,
  })
  scope?: string | null;

  @Field(prose(), { description: 'Goals of the customer.', optional: true, nullable: true })
  goals?: string | null;

  @Field(prose(), { description: 'Known risks.', optional: true, nullable: true })
  risks?: string | null;

  @Field(prose(), { description: 'Promises to the customer.', optional: true, nullable: true })
  commitments?: string | null;

  @Field(stakeholders(), { description: 'People whom delivery has to know.', example: [], optional: true })
  stakeholders?: Stakeholder[];
}

export const EMPTY_SUMMARY: HandoffSummary = {
  scope: null,
  goals: null,
  risks: null,
  commitments: null,
  stakeholders: [],
};

/** Deals that a template is chosen for. Each criterion that is not empty must match. */
export class HandoffMatch {
  @Field(listOf(id(), { max: 50, unique: true }), {
    description: 'Pipelines of the deals.',
    example: [],
    optional: true,
  })
  pipelineIds!: string[];

  @Field(listOf(oneOf(DEAL_TYPES), { max: 3, unique: true }), {
    description: 'Types of the deals.',
    example: ['new_business'],
    optional: true,
  })
  dealTypes!: string[];

  @Field(listOf(tag(), { max: 50, unique: true }), {
    description: 'The deal has at least one of these tags; case makes no difference.',
    example: [],
    optional: true,
  })
  tags!: string[];

  @Field(amount, {
    description:
      'Minimum value in minor units of the tenant’s base currency. Deals in other currencies match no value range.',
    optional: true,
    nullable: true,
  })
  minValueMinor!: number | null;

  @Field(amount, { description: 'Maximum value, in the same way.', optional: true, nullable: true })
  maxValueMinor!: number | null;
}

export const NO_MATCH: HandoffMatch = {
  pipelineIds: [],
  dealTypes: [],
  tags: [],
  minValueMinor: null,
  maxValueMinor: null,
};

/** Who becomes the delivery owner of a handoff. */
export class DeliveryOwnerRule {
  @Field(oneOf(RULES), {
    description: '`deal_owner`, `member` (requires `membershipId`) or `workspace_lead` (requires `workspaceId`).',
    example: 'deal_owner',
  })
  type!: (typeof RULES)[number];

  @Field(id(), { description: 'Membership, for `member`.', optional: true })
  membershipId?: string;

  @Field(id(), { description: 'Workspace, for `workspace_lead`.', optional: true })
  workspaceId?: string;
}

command(
  DeliveryOwnerRule,
  { deal_owner: {}, member: { needs: ['membershipId'] }, workspace_lead: { needs: ['workspaceId'] } },
  { by: 'type' },
);
