import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { invitations } from './invitation.js';
import {
  ChangedInvitation,
  ChangeInvitation,
  InvitationPage,
  InvitationQuery,
  InvitationResults,
  Invite,
} from './invitation.requests.js';
import { InvitationsService } from './invitations.service.js';
import { InvitingService } from './inviting.service.js';

const INVITED = { ...invitations.example, sentCount: 0, lastSentAt: null, mailStatus: 'queued' };

@Controller(invitations.path)
export class InvitationsController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly inviting: InvitingService,
  ) {}

  @Route({
    id: 'admin.invitations.list',
    summary: 'List invitations',
    permission: 'members:invite',
    withinReach: true,
    query: InvitationQuery,
    answer: InvitationPage,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.invitations.list(query);
  }

  @Route({
    id: 'admin.invitations.create',
    summary: 'Invite people',
    description:
      'Sends each address a mail with a link that works once. A seat is reserved until the invitation is accepted, declined, revoked or expired. Problems with individual addresses are reported in their results; the others are invited. For privileged roles, the gate `role.grant_privileged` can require approval; then nobody is invited yet, and the response contains `pendingApproval`.',
    permission: 'members:invite',
    besides: [{ scope: 'employees:manage', when: 'With `employeeId`.' }],
    withinReach: true,
    body: Invite,
    answer: InvitationResults,
    problems: ['permission_denied', 'step_up_required', 'gate_denied', 'approval_pending'],
    example: {
      body: { emails: ['bo@acme.example', 'ana@acme.example'], message: 'Welcome aboard!' },
      answer: {
        data: [
          { email: 'bo@acme.example', ok: true, invitation: INVITED, error: null },
          {
            email: 'ana@acme.example',
            ok: false,
            invitation: null,
            error: { code: 'already_member', detail: 'A member of the tenant already has this address.' },
          },
        ],
        page: { limit: 2, hasMore: false, nextCursor: null },
        pendingApproval: null,
      },
    },
  })
  @Post()
  invite(@Body() input: Invite) {
    return this.inviting.invite(input);
  }

  @Route({
    id: 'admin.invitations.get',
    summary: 'Read an invitation',
    permission: 'members:invite',
    withinReach: true,
    answer: invitations.view,
    record: true,
    example: { answer: invitations.example },
  })
  @Get(':invitationId')
  get(@Param('invitationId') id: string) {
    return this.invitations.get(id);
  }

  @Route({
    id: 'admin.invitations.change',
    summary: 'Update, resend or revoke an invitation',
    permission: 'members:invite',
    withinReach: true,
    body: ChangeInvitation,
    answer: ChangedInvitation,
    record: true,
    problems: [
      'grant_exceeds_rights',
      'step_up_required',
      'gate_denied',
      'approval_pending',
      'invalid_transition',
      'limit_reached',
    ],
    example: {
      body: { action: 'resend', expiresInDays: 14 },
      answer: { ...invitations.example, pendingApproval: null },
    },
  })
  @Patch(':invitationId')
  change(@Param('invitationId') id: string, @Body() input: ChangeInvitation) {
    return this.invitations.change(id, input);
  }
}
