import { addFields, Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { MEMBER_SOURCES, MEMBER_STATUSES, type MemberStatus } from '#libs/members/member.js';
import { MembershipFacts } from '#libs/members/member.dto.js';
import { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';

const COUNT = { min: 0, max: 2_147_483_647 };
const reason = () => text({ min: 1, max: 500, pattern: /\S/ });

/** The last sign-in of a member. */
export class MemberFactors {
  @Field(flag(), { description: 'Whether a second factor was used.', example: true })
  satisfied!: boolean;

  @Field(listOf(text({ max: 60 }), { max: 20 }), {
    description: 'Authentication methods as named by the identity provider (`amr`).',
    example: ['pwd', 'otp'],
  })
  methods!: string[];

  @Field(instant(), { description: 'Time at which the second factor was used.', nullable: true })
  at!: string | null;
}

/** A membership. */
export class MembershipView extends MembershipFacts {
  @Field(id(), { description: 'The person across all tenants; null until the first sign-in.', nullable: true })
  userId!: string | null;

  @Field(text({ max: 254 }), { description: 'E-mail address.', example: 'ana@acme.example' })
  email!: string;

  @Field(id(), { description: 'Employee linked to the membership.', nullable: true })
  employeeId!: string | null;

  @Field(instant(), {
    description:
      'Time at which a session or key of the member was last used, accurate to about five minutes; null for never.',
    nullable: true,
  })
  lastActiveAt!: string | null;

  @Field(nested(MemberFactors), { description: 'The last sign-in.' })
  mfa!: MemberFactors;

  @Field(integer(COUNT), { description: 'Number of open sessions.', example: 1 })
  activeSessions!: number;

  @Field(integer(COUNT), { description: 'Number of valid API keys that act for the member.', example: 0 })
  apiKeyCount!: number;
}

export const EFFECT_TYPES = ['sessions_ended', 'keys_paused', 'keys_revoked', 'ownership_transfer'] as const;

/** A side effect of a change. */
export class MembershipEffect {
  @Field(oneOf(EFFECT_TYPES), { description: 'Kind of effect.', example: 'sessions_ended' })
  type!: (typeof EFFECT_TYPES)[number];

  @Field(integer(COUNT), { description: 'Number of sessions, keys or records affected.', example: 2 })
  count!: number;

  @Field(id(), {
    description: 'The running job, see `/api/operations/jobs/{id}`; null if the effect is complete.',
    nullable: true,
  })
  jobId!: string | null;
}

export class ChangedMembership extends MembershipView {
  @Field(listOf(nested(MembershipEffect), { max: 10 }), { description: 'Side effects of the change.', example: [] })
  effects!: MembershipEffect[];

  @Field(nested(PendingApproval), {
    description:
      'The request for approval if the change is parked and the membership unchanged; null if the change was applied.',
    nullable: true,
  })
  pendingApproval!: PendingApproval | null;
}

export class UpdateMembership {
  @Field(listOf(id(), { min: 1, max: 50, unique: true }), {
    description:
      'The complete set of roles. Roles granted by an identity provider must be included, because only the provider can revoke them.',
    example: ['00000000-0000-7000-8000-000000000003'],
    optional: true,
  })
  roleIds?: string[];

  @Field(oneOf(['active', 'suspended', 'deactivated']), {
    description:
      '`suspended` ends all sessions and pauses the keys; `deactivated` also revokes the keys. Only owners and identity providers can reactivate a deactivated member.',
    example: 'suspended',
    optional: true,
  })
  status?: Exclude<MemberStatus, 'invited'>;

  @Field(listOf(id(), { max: 200, unique: true }), {
    description: 'The complete set of workspaces. Those granted by an identity provider must be included.',
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
    description: 'Membership to which a job transfers all open records of this member.',
    optional: true,
  })
  transferOwnedTo?: string;

  @Field(reason(), { description: 'Reason, for the audit log.', example: 'Leaves the company', optional: true })
  reason?: string;
}

export class ResetSession {
  @Field(reason(), { description: 'Reason, for the audit log.', example: 'Lost laptop', optional: true })
  reason?: string;

  @Field(flag(), { description: 'Whether API keys are revoked too; defaults to false.', optional: true })
  includeApiKeys?: boolean;

  @Field(flag(), {
    description: 'Whether to revoke the member’s OAuth grants to partners too; defaults to true.',
    optional: true,
  })
  includeOauthGrants?: boolean;
}

export class SessionsReset {
  @Field(integer(COUNT), { description: 'Number of sessions ended.', example: 2 })
  revokedSessions!: number;

  @Field(integer(COUNT), {
    description: 'Number of revoked OAuth grants to partners, including all their tokens.',
    example: 0,
  })
  revokedTokens!: number;

  @Field(integer(COUNT), { description: 'Number of API keys revoked.', example: 0 })
  revokedKeys!: number;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Increases with each reset. Earlier sessions are refused.',
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
    description: 'Seats taken by active and invited members and by open invitations.',
    example: 12,
  })
  used!: number;

  @Field(integer(COUNT), { description: 'Seats of the plan; null for unlimited.', example: 100, nullable: true })
  limit!: number | null;
}

/** An open invitation, listed with the members. */
export class OpenInvitation {
  @Field(id(), { description: 'Id of the invitation, see `/api/admin/invitations`.' })
  id!: string;

  @Field(text({ max: 254 }), { description: 'Invited e-mail address.', example: 'bob@acme.example' })
  email!: string;

  @Field(listOf(id(), { max: 200 }), { description: 'Roles of the invitation.' })
  roleIds!: string[];

  @Field(instant(), { description: 'Time at which it expires.' })
  expiresAt!: string;
}

export class MembershipPage {
  @Field(listOf(nested(MembershipView), { max: 200 }), { description: 'The members of this page, in order.' })
  data!: MembershipView[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;

  @Field(nested(SeatCountView), { description: 'Seats of the tenant.' })
  seats!: SeatCountView;

  @Field(listOf(nested(OpenInvitation), { max: 200 }), {
    description: 'Open invitations, newest first, with `include=invitations`; null otherwise.',
    nullable: true,
  })
  invitations!: OpenInvitation[] | null;
}
