import { MFA_METHODS, MFA_POLICIES, type MfaMethod } from '#libs/auth/mfa-policy.js';
import { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { constant, Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';

/** Type key of the policy; also the prefix of its event types. */
export const MFA_TYPE = 'security.mfa';
const MAX_SHOWN = 50;
const MAX_GRACE_DAYS = 30;
const stepUp = () => integer({ min: 5, max: 120 });
const grace = () => integer({ min: 0, max: MAX_GRACE_DAYS });
const methods = () => listOf(oneOf(MFA_METHODS), { min: 1, max: MFA_METHODS.length, unique: true });

export class ChangeMfa {
  @Field(oneOf(MFA_POLICIES), {
    description: 'Who needs a second factor: nobody, members with a privileged role, or all members.',
    example: 'admins',
    optional: true,
  })
  policy?: (typeof MFA_POLICIES)[number];

  @Field(grace(), {
    description:
      'Grace period in days after a change to a stricter policy, before members without the factor are rejected. Defaults to 0.',
    example: 7,
    optional: true,
  })
  gracePeriodDays?: number;

  @Field(methods(), {
    description: 'Accepted second factors, according to `amr` of the identity provider.',
    example: ['webauthn', 'totp'],
    optional: true,
  })
  allowedMethods?: MfaMethod[];

  @Field(stepUp(), {
    description: 'Maximum age of a second factor for protected operations, in minutes.',
    example: 15,
    optional: true,
  })
  stepUpMaxAgeMinutes?: number;

  @Field(text({ min: 1, max: 500 }), {
    description: 'Why, for the audit log.',
    example: 'Audit finding',
    optional: true,
  })
  reason?: string;

  @Field(flag(), {
    description: 'Changes nothing and returns the result, including the members who would lack a factor.',
    example: true,
    optional: true,
  })
  dryRun?: boolean;
}

export class MemberWithoutFactor {
  @Field(id(), { description: 'Id of the membership.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40' })
  id!: string;

  @Field(text({ max: 200 }), { description: 'Name of the person.', example: 'Ana Silva' })
  name!: string;

  @Field(text({ max: 254 }), { description: 'Address of the person.', example: 'ana@acme.example' })
  email!: string;
}

/** The members affected by the policy, by their last sign-in. */
export class MfaCoverage {
  @Field(integer({ min: 0, max: 1_000_000 }), {
    description: 'Number of affected active members whose last sign-in had a factor.',
    example: 4,
  })
  satisfied!: number;

  @Field(integer({ min: 0, max: 1_000_000 }), {
    description: 'Number of affected active members without the factor.',
    example: 1,
  })
  missing!: number;

  @Field(listOf(nested(MemberWithoutFactor), { max: MAX_SHOWN }), {
    description: 'Members without the factor, the first 50 by name.',
  })
  members!: MemberWithoutFactor[];
}

/** The multi-factor policy of the tenant, as shown in its events too. */
export class MfaRules {
  @Field(id(), { description: 'Id of the tenant.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01' })
  id!: string;

  @Field(constant(MFA_TYPE), { description: 'Type of the record.', example: MFA_TYPE })
  object!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Increases by one with each change.', example: 2 })
  version!: number;

  @Field(oneOf(MFA_POLICIES), { description: 'Who needs a second factor.', example: 'admins' })
  policy!: (typeof MFA_POLICIES)[number];

  @Field(grace(), { description: 'Grace period in days.', example: 7 })
  gracePeriodDays!: number;

  @Field(methods(), { description: 'Accepted second factors.', example: ['webauthn', 'totp'] })
  allowedMethods!: MfaMethod[];

  @Field(stepUp(), { description: 'Maximum age of a second factor for protected operations, in minutes.', example: 15 })
  stepUpMaxAgeMinutes!: number;

  @Field(instant(), {
    description: 'Time from which members without the factor are rejected; null if no member needs one.',
    nullable: true,
  })
  effectiveAt!: string | null;
}

/** The policy and the members without the factor. */
export class MfaView extends MfaRules {
  @Field(nested(MfaCoverage), { description: 'Number of members with and without the required factor.' })
  coverage!: MfaCoverage;

  @Field(instant(), {
    description: 'End of the current grace period; null if there is none.',
    nullable: true,
  })
  graceEndsAt!: string | null;
}

export class ChangedMfa extends MfaView {
  @Field(flag(), { description: 'Whether this is a dry run.', example: false })
  dryRun!: boolean;

  @Field(nested(PendingApproval), {
    description:
      'The request for approval of a weaker policy; null if none is pending. The policy stays in force until it is approved.',
    nullable: true,
  })
  pendingApproval!: PendingApproval | null;
}

/** Maximum number of members without a factor in a response. */
export const MAX_WITHOUT_FACTOR = MAX_SHOWN;
