import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { ApprovalView } from '#libs/resource/gates/approval.dto.js';
import { pathOf } from '#libs/resource/types/definition.js';
import {
  ApprovalPage,
  ApprovalQuery,
  approvals,
  ApproveApproval,
  CancelApproval,
  RejectApproval,
} from './approval.resource.js';
import { ApprovalsService } from './approvals.service.js';

const { example } = approvals;

@Controller(pathOf(approvals))
export class ApprovalsController {
  constructor(private readonly service: ApprovalsService) {}

  @Route({
    id: 'home.approvals.list',
    summary: 'List requests for approval',
    description:
      'Requests of the caller and those that the caller may decide; with the scope `approvals:read` all of them.',
    permission: 'any',
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
    answer: ApprovalView,
    record: true,
    example: { answer: example },
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.service.records.get(id);
  }

  @Route({
    id: 'home.approvals.approve',
    summary: 'Approve a parked action',
    description:
      'Once as many have approved as the gate demands, the action is taken at once in the name of the requester: the status says whether that was possible.',
    permission: 'approvals:decide',
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
    description: 'One rejection is enough.',
    permission: 'approvals:decide',
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
    summary: 'Take a request for approval back',
    description: 'For the requester; with the scope `approvals:manage` for anyone.',
    permission: 'any',
    inPerson: true,
    besides: [{ scope: 'approvals:manage', when: 'For a request of somebody else.' }],
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
