import type { ApprovalRule, Approvers, Autonomy, RuleCondition } from '#libs/ai/policy.js';
import { Field, flag, id, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';

/** A million currency units. */
const MAX_MICROS = 1_000_000_000_000;
/** A year. */
const MAX_MINUTES = 525_600;

export const micros = () => integer({ min: 0, max: MAX_MICROS });
/** Keys of kinds, providers, models, areas or regions. */
export const keys = () =>
  listOf(text({ min: 1, max: 100, pattern: /^\S+$/, form: 'without white space' }), { max: 200, unique: true });
const ids = () => listOf(id(), { max: 50, unique: true });

/** When a rule applies. */
export class ApprovalCondition implements RuleCondition {
  @Field(micros(), {
    description: 'The most that the job can cost is more than this, in millionths of the currency unit.',
    example: 500_000,
    optional: true,
  })
  costOverMicros?: number;

  @Field(keys(), { description: 'The job is of one of these kinds.', example: ['agent.run'], optional: true })
  kinds?: string[];

  @Field(keys(), { description: 'A target is in one of these areas.', example: ['people'], optional: true })
  areas?: string[];

  @Field(flag(), { description: 'Personal data was found (true) or was not (false).', example: true, optional: true })
  personalData?: boolean;

  @Field(ids(), { description: 'The requester has one of these roles.', example: [], optional: true })
  requesterRoles?: string[];

  @Field(oneOf(['suggest', 'approve_each', 'auto']), {
    description: 'The agent has this autonomy.',
    example: 'auto',
    optional: true,
  })
  autonomy?: Autonomy;
}

/** Who may approve. */
export class PolicyApprovers implements Approvers {
  @Field(ids(), {
    description: 'Members who may approve. If nobody is named, everyone with `ai-jobs:approve` may.',
    example: [],
    optional: true,
  })
  memberIds!: string[];

  @Field(ids(), { description: 'Roles whose holders may approve.', example: [], optional: true })
  roleIds!: string[];

  @Field(flag(), {
    description:
      'Set to true to let the manager of the requester approve; where there is none, and nobody else is named, owners may. False by default.',
    example: false,
    optional: true,
  })
  managerOfRequester!: boolean;
}

/** When a job needs approval, and whose. */
export class PolicyRule implements ApprovalRule {
  @Field(nested(ApprovalCondition), {
    description: 'All that is said here must be so. Without anything it always holds.',
    example: { kinds: ['agent.run'], personalData: true },
    optional: true,
  })
  when!: ApprovalCondition;

  @Field(nested(PolicyApprovers), { description: 'Members and roles that may approve.', optional: true })
  approvers!: PolicyApprovers;

  @Field(integer({ min: 1, max: 5 }), {
    description: 'How many must approve; 1 if not given.',
    example: 1,
    optional: true,
  })
  quorum!: number;

  @Field(integer({ min: 5, max: MAX_MINUTES }), {
    description: 'Minutes after which a request that nobody has decided expires; 1,440 if not given.',
    example: 1_440,
    optional: true,
  })
  expiresInMinutes!: number;
}

/** A rule with defaults for omitted members. */
export function completeRule({ when, approvers, quorum, expiresInMinutes }: Partial<ApprovalRule>): ApprovalRule {
  return {
    when: when ?? {},
    approvers: { memberIds: [], roleIds: [], managerOfRequester: false, ...approvers },
    quorum: quorum ?? 1,
    expiresInMinutes: expiresInMinutes ?? 1_440,
  };
}
