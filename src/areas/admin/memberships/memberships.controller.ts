import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { MEMBER_EXAMPLE } from '#libs/members/member-records.js';
import {
  ChangedMembership,
  MembershipPage,
  MembershipQuery,
  MembershipView,
  ResetSession,
  SessionsReset,
  UpdateMembership,
} from './membership.dto.js';
import { MembershipChangesService } from './membership-changes.service.js';
import { MembershipsService } from './memberships.service.js';

const EXAMPLE: MembershipView = {
  ...MEMBER_EXAMPLE,
  userId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b02',
  email: 'ana@acme.example',
  employeeId: null,
  lastActiveAt: '2026-11-21T09:15:02.114Z',
  mfa: { satisfied: true, methods: ['pwd', 'otp'], at: '2026-11-21T08:59:40.020Z' },
  activeSessions: 1,
  apiKeyCount: 0,
};

@Controller('api/admin/memberships')
export class MembershipsController {
  constructor(
    private readonly memberships: MembershipsService,
    private readonly changes: MembershipChangesService,
  ) {}

  @Route({
    id: 'admin.memberships.list',
    summary: 'List the members of the tenant',
    description: 'All of them, or with a limited reach those in the workspaces of the caller.',
    permission: 'members:read',
    withinReach: true,
    query: MembershipQuery,
    answer: MembershipPage,
    problems: ['cursor_invalid'],
    example: {
      answer: {
        data: [EXAMPLE],
        page: { limit: 50, hasMore: false, nextCursor: null },
        seats: { used: 12, limit: 100 },
        invitations: null,
      },
    },
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.memberships.list(query);
  }

  @Route({
    id: 'admin.memberships.get',
    summary: 'Read a member',
    permission: 'members:read',
    withinReach: true,
    answer: MembershipView,
    record: true,
    problems: ['not_found'],
    example: { answer: EXAMPLE },
  })
  @Get(':membershipId')
  get(@Param('membershipId') id: string) {
    return this.memberships.get(id);
  }

  @Route({
    id: 'admin.memberships.update',
    summary: 'Change the roles, the workspaces or the status of a member',
    description:
      'Nobody gives what they do not hold, or anything to themselves; only owners make or change owners, others who run the tenant are changed by who may do as much, and the last active owner stays. Giving or taking a role that runs the tenant (owner, admin, or one with as much power) is a protected operation, as is changing the status of who has one; giving or taking can wait for approval at the gate `role.grant_privileged`: then the answer has a `pendingApproval`.',
    permission: 'members:manage',
    body: UpdateMembership,
    answer: ChangedMembership,
    record: true,
    problems: [
      'grant_exceeds_rights',
      'not_by_oneself',
      'step_up_required',
      'gate_denied',
      'last_owner',
      'seat_limit',
      'managed_by_scim',
      'invalid_transition',
      'approval_pending',
    ],
    example: {
      body: { roleIds: ['00000000-0000-7000-8000-000000000003'], reason: 'Leads the team now' },
      answer: { ...EXAMPLE, effects: [], pendingApproval: null },
    },
  })
  @Patch(':membershipId')
  update(@Param('membershipId') id: string, @Body() patch: UpdateMembership) {
    return this.changes.update(id, patch);
  }

  @Route({
    id: 'admin.memberships.reset_session',
    summary: 'End all sessions of a member',
    description:
      'The very next request with one of them is refused, on every process. Nobody ends those of somebody above them: the sessions of owners are ended by owners, those of others who run the tenant by who may do as much.',
    permission: 'sessions:revoke',
    withinReach: true,
    body: ResetSession,
    bodyOptional: true,
    answer: SessionsReset,
    problems: ['not_found', 'version_mismatch'],
    example: {
      body: { reason: 'Lost laptop', includeApiKeys: true },
      answer: { revokedSessions: 2, revokedTokens: 0, revokedKeys: 1, sessionEpoch: 2 },
    },
  })
  @Post(':membershipId/reset-session')
  reset(@Param('membershipId') id: string, @Body() input?: ResetSession) {
    return this.memberships.reset(id, input ?? {});
  }
}
