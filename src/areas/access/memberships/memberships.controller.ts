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
    description: 'Lists all members; with a limited reach, only those in your workspaces.',
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
    summary: 'Change roles, workspaces or status of a member',
    description:
      'You can only grant roles whose permissions you hold, and none to yourself. Only owners can add or change owners, and the last active owner cannot be removed. To change a member with privileged permissions, you must hold those permissions. Granting or revoking a privileged role (owner, admin or a role with similar power) is a protected operation, and so is changing the status of its holder. The gate `role.grant_privileged` can require approval for granting or revoking; the response then contains `pendingApproval`.',
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
      'employee_terminated',
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
      'The next request with any of these sessions is refused. Only owners can end sessions of owners. To end sessions of a member with privileged permissions, you must hold those permissions.',
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
