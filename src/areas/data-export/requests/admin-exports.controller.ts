import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { entryOf } from '#libs/http/command.js';
import { Route } from '#libs/http/route.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { ExportApprovalsService } from './export-approvals.service.js';
import { exportRequests, ExportRequestQuery } from './export-request.js';
import { ChangeExportRequest, changeExportRequest } from './export-request.requests.js';
import { ExportRequestsService } from './export-requests.service.js';

@Controller('api/admin/exports')
export class AdminExportsController {
  constructor(
    private readonly requests: ExportRequestsService,
    private readonly approvals: ExportApprovalsService,
  ) {}

  @Route({
    id: 'admin.exports.list',
    summary: 'List all exports of data',
    permission: 'exports:approve',
    query: ExportRequestQuery,
    answer: pageOf(exportRequests.view),
    problems: ['cursor_invalid'],
    tag: 'data export',
  })
  @Get()
  list(@Query() query: object) {
    return this.requests.list(query);
  }

  @Route({
    id: 'admin.exports.change',
    summary: 'Approve, reject or manage an export of data',
    description:
      'Whoever requested an export, also through a key, cannot approve or extend it as long as somebody else could. A rejection needs a `reason`.',
    ...entryOf(changeExportRequest),
    besides: [{ scope: 'tenant:close', when: 'With `full: true`.' }],
    protected: true,
    body: ChangeExportRequest,
    answer: exportRequests.view,
    record: true,
    problems: [
      'not_found',
      'not_by_oneself',
      'not_an_approver',
      'gate_denied',
      'already_decided',
      'invalid_transition',
      'version_mismatch',
    ],
    tag: 'data export',
    example: { body: { action: 'approve', expiresInHours: 24 } },
  })
  @Patch(':requestId')
  change(@Param('requestId') id: string, @Body() input: ChangeExportRequest) {
    return this.approvals.decide(id, input);
  }
}
