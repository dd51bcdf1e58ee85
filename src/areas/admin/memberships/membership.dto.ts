import { addFields, Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { MEMBER_SOURCES, MEMBER_STATUSES, type MemberStatus } from '#libs/members/member.js';
import { MembershipFacts } from '#libs/members/member.dto.js';
import { PendingApproval } from '#libs/resource/gates/approval.dto.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';

const COUNT = { min: 0, max: 2_147_483_647 };
const reason = () => text({ min: 1, max: 500, pattern: /\S/ });

/** How a member signed in last. */
export class MemberFactors {
  @Field(flag(), { description: 'Whether that sign-in saw a second factor.', example: true })
  satisfied!: boolean;

  @Field(listOf(text({ max: 60 }), { max: 20 }), {
    description: 'How they proved who they are, as the identity provider names it (`amr`).',
    example: ['pwd', 'otp'],
  })
  methods!: string[];

  @Field(instant(), { description: 'Time at which the second factor was seen.', nullable: true })
  at!: string | null;
}

/** A person's place in the tenant. */
export class MembershipView extends MembershipFacts {
  @Field(id(), { description: 'The person over all tenants; null until they have signed in.', nullable: true })
  userId!: string | null;

  @Field(text({ max: 254 }), { description: 'E-mail address.', example: 'ana@acme.example' })
  email!: string;

  @Field(id(), { description: 'Employee whose membership it is.', nullable: true })
  employeeId!: string | null;

  @Field(instant(), {
    description: 'Time at which a session or key of theirs was last used, to about five minutes; null for never.',
    nullable: true,
  })
  lastActiveAt!: string | null;

  @Field(nested(MemberFactors), { description: 'How they signed in last.' })
  mfa!: MemberFactors;

  @Field(integer(COUNT), { description: 'Sessions that are good now.', example: 1 })
  activeSessions!: number;

  @Field(integer(COUNT), { description: 'API keys that act for them, revoked and expired ones aside.', example: 0 })
  apiKeyCount!: number;
}

export const EFFECT_TYPES = ['sessions_ended', 'keys_paused', 'keys_revoked', 'ownership_transfer'] as const;

/** What a change has brought about besides itself. */
export class MembershipEffect {
  @Field(oneOf(EFFECT_TYPES), { description: 'Kind of effect.', example: 'sessions_ended' })
  type!: (typeof EFFECT_TYPES)[number];

  @Field(integer(COUNT), { description: 'How many sessions, keys or records it is about.', example: 2 })
  count!: number;

  @Field(id(), {
    description: 'The job that is at it, see `/api/admin/membership-transfers/{transferId}`; null where all is done.',
    nullable: true,
  })
  jobId!: string | null;
}

export class ChangedMembership extends MembershipView {
  @Field(listOf(nested(MembershipEffect), { max: 10 }), { description: 'Further effects of the change.', example: [] })
  effects!: MembershipEffect[];

  @Field(nested(PendingApproval), {
    description: 'The request for approval that the change waits for: the membership is as it was. Null if it is done.',
    nullable: true,
  })
  pendingApproval!: PendingApproval | null;
}

export class UpdateMembership {
  @Field(listOf(id(), { min: 1, max: 50, unique: true }), {
    description:
      'All roles from now on. Roles that an identity provider has given must be among them: only it takes them back.',
    example: ['00000000-0000-7000-8000-000000000003'],
    optional: true,
  })
  roleIds?: string[];

  @Field(oneOf(['active', 'suspended', 'deactivated']), {
    description:
      'suspended ends all sessions and pauses the keys; deactivated revokes the keys too. Only owners and identity providers bring somebody back who is deactivated.',
    example: 'suspended',
    optional: true,
  })
  status?: Exclude<MemberStatus, 'invited'>;

  @Field(listOf(id(), { max: 200, unique: true }), {
    description: 'All workspaces from now on; those that an identity provider has given must be among them.',
    optional: true,
  })
  workspaceIds?: string[];

  @Field(text({ min: 1, max: 200, pattern: /\S/ }), {
    description: 'Job title.',
    example: 'Head of Sales',
    optional: true,
    nullable: true,
  })
  title?: string | null;

  @Field(id(), {
    description: 'Membership that gets all open records which this one owns, in a job.',
    optional: true,
  })
  transferOwnedTo?: string;

  @Field(reason(), { description: 'Why, for the audit log.', example: 'Leaves the company', optional: true })
  reason?: string;
}

export class ResetSession {
  @Field(reason(), { description: 'Why, for the audit log.', example: 'Lost laptop', optional: true })
  reason?: string;

  @Field(flag(), { description: 'Whether API keys are revoked too; false if not given.', optional: true })
  includeApiKeys?: boolean;

  @Field(flag(), {
    description: 'Whether access ends too that the member has granted to partners (OAuth); true if not given.',
    optional: true,
  })
  includeOauthGrants?: boolean;
}

export class SessionsReset {
  @Field(integer(COUNT), { description: 'Sessions that were ended.', example: 2 })
  revokedSessions!: number;

  @Field(integer(COUNT), {
    description: 'Grants to partners (OAuth) that were revoked, with all their tokens.',
    example: 0,
  })
  revokedTokens!: number;

  @Field(integer(COUNT), { description: 'API keys that were revoked.', example: 0 })
  revokedKeys!: number;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Rises with each reset: a session of before is refused.',
    example: 2,
  })
  sessionEpoch!: number;
}

export const membershipList: ListOptions = {
  filters: {
    ids: filter.plain(id(), 'in', 't.id'),
    name: filter.text(200),
    status: filter.exact(oneOf(MEMBER_STATUSES)),
    source: filter.exact(oneOf(MEMBER_SOURCES)),
    roleId: filter.related(
      id(),
      `exists (select 1 from data.role_assignments a
        where a.tenant_id = t.tenant_id and a.membership_id = t.id and a.role_id = any(:values::uuid[]))`,
    ),
    workspaceId: filter.related(
      id(),
      `exists (select 1 from data.workspace_members w
        where w.tenant_id = t.tenant_id and w.membership_id = t.id and w.workspace_id = any(:values::uuid[]))`,
    ),
    q: filter.plain(text({ min: 1, max: 200 }), 'contains', `(t.name || ' ' || t.email)`),
    inactiveSinceDays: filter.plain(
      integer({ min: 0, max: 3_650 }),
      'gte',
      'extract(epoch from :now - coalesce(t.last_active_at, t.created_at)) / 86400',
    ),
    createdAt: filter.ordered(instant()),
    withoutMfa: filter.condition('(t.id not in (select directory.members_with_second_factor()))'),
  },
  sorts: ['name', 'lastActiveAt', 'joinedAt', 'createdAt'],
  defaultSort: '-createdAt',
};

export const MembershipQuery = listQuery('MembershipQuery', membershipList);
addFields(MembershipQuery, [
  [
    'include',
    {
      kind: listOf(oneOf(['invitations']), { min: 1, max: 1 }),
      description: 'Further data to include: `invitations` adds the open ones.',
      optional: true,
    },
  ],
]);

export class SeatCountView {
  @Field(integer(COUNT), {
    description: 'Seats that are taken: active and invited members, and open invitations.',
    example: 12,
  })
  used!: number;

  @Field(integer(COUNT), { description: 'Seats of the plan; null for any number.', example: 100, nullable: true })
  limit!: number | null;
}

/** An open invitation, beside the members. */
export class OpenInvitation {
  @Field(id(), { description: 'Id of the invitation, see `/api/admin/invitations`.' })
  id!: string;

  @Field(text({ max: 254 }), { description: 'Address that was invited.', example: 'bob@acme.example' })
  email!: string;

  @Field(listOf(id(), { max: 200 }), { description: 'Roles that they will have.' })
  roleIds!: string[];

  @Field(instant(), { description: 'Time at which it expires.' })
  expiresAt!: string;
}

export class MembershipPage {
  @Field(listOf(nested(MembershipView), { max: 200 }), { description: 'The members of this page, in order.' })
  data!: MembershipView[];

  @Field(nested(PageInfo), { description: 'How to go on.' })
  page!: PageInfo;

  @Field(nested(SeatCountView), { description: 'Seats of the tenant.' })
  seats!: SeatCountView;

  @Field(listOf(nested(OpenInvitation), { max: 200 }), {
    description: 'Open invitations, the newest first, with `include=invitations`; null otherwise.',
    nullable: true,
  })
  invitations!: OpenInvitation[] | null;
}
