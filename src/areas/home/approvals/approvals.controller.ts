import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { READS_TYPES } from '#libs/resource/routes/of-record.js';
import { Route } from '#libs/http/route.js';
import { ApprovalView, approvals } from '#libs/resource/gates/approval.js';
import { ApproveApproval, CancelApproval, RejectApproval } from '#libs/resource/gates/approval.parts.js';
import { ApprovalPage, ApprovalQuery, OneApprovalQuery } from './approval.requests.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ApprovalsService } from './approvals.service.js';

const { example } = approvals;

@Controller(pathOf(approvals))
export class ApprovalsController {
  constructor(private readonly service: ApprovalsService) {}

  @Route({
    id: 'home.approvals.list',
    summary: 'List requests for approval',
    description:
      'Your own requests and those that you may decide; with the scope `approvals:read`, all requests. Your own remain visible while you may take the action or read the record; to decide, the scopes must include the action or reading the record.',
    permission: 'any',
    besides: [READS_TYPES],
    forPartners: true,
    query: ApprovalQuery,
    answer: ApprovalPage,
    problems: ['cursor_invalid'],
    example: { answer: { data: [example], page: { limit: 50, hasMore: false, nextCursor: null } } },
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.service.list(query);
  }

  @Route({
    id: 'home.approvals.get',
    summary: 'Read a request for approval',
    permission: 'any',
    besides: [READS_TYPES],
    forPartners: true,
    query: OneApprovalQuery,
    answer: ApprovalView,
    record: true,
    example: { answer: example },
  })
  @Get(':id')
  get(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.service.records.get(id, query);
  }

  @Route({
    id: 'home.approvals.approve',
    summary: 'Approve a parked action',
    description:
      'When the required number of approvals is reached, the action is executed immediately on behalf of the requester. The status shows whether it succeeded.',
    permission: 'approvals:decide',
    besides: [READS_TYPES],
    body: ApproveApproval,
    bodyOptional: true,
    answer: ApprovalView,
    record: true,
    problems: ['invalid_transition', 'not_an_approver', 'already_decided'],
    example: { answer: example },
  })
  @Post(':id/approve')
  approve(@Param('id') id: string, @Body() { note = null }: ApproveApproval) {
    return this.service.approve(id, note);
  }

  @Route({
    id: 'home.approvals.reject',
    summary: 'Reject a parked action',
    description: 'A single rejection closes the request.',
    permission: 'approvals:decide',
    besides: [READS_TYPES],
    body: RejectApproval,
    answer: ApprovalView,
    record: true,
    problems: ['invalid_transition', 'not_an_approver', 'already_decided'],
    example: { answer: example },
  })
  @Post(':id/reject')
  reject(@Param('id') id: string, @Body() { reason }: RejectApproval) {
    return this.service.reject(id, reason);
  }

  @Route({
    id: 'home.approvals.cancel',
    summary: 'Cancel a request for approval',
    description: 'For the requester, or for anyone with the scope `approvals:manage`.',
    permission: 'any',
    besides: [{ scope: 'approvals:manage', when: 'For a request of another requester.' }],
    body: CancelApproval,
    bodyOptional: true,
    answer: ApprovalView,
    record: true,
    problems: ['invalid_transition', 'permission_denied'],
    example: { answer: example },
  })
  @Post(':id/cancel')
  cancel(@Param('id') id: string, @Body() { reason = null }: CancelApproval) {
    return this.service.cancel(id, reason);
  }
}
