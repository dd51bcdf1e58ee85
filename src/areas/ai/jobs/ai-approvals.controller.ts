import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { filter, type ListOptions } from '#libs/resource/lists/list-query.js';
import { recordQuery } from '#libs/resource/lists/list-shape.js';
import { instant, text } from '#libs/http/field.js';
import { aiJobs, JobPage } from './job.resource.js';
import { AiJobsService } from './ai-jobs.service.js';

const { example, type: object } = aiJobs;
const list: ListOptions = {
  filters: { name: filter.text(200), kind: filter.exact(text({ max: 60 })), createdAt: filter.ordered(instant()) },
  sorts: ['createdAt', 'name'],
  defaultSort: '-createdAt',
  searchable: true,
};
const AiApprovalQuery = recordQuery('AiApprovalQuery', aiJobs, list);

@Controller('/api/ai/approvals')
export class AiApprovalsController {
  constructor(private readonly jobs: AiJobsService) {}

  @Route({
    id: 'ai.approvals.list',
    summary: 'List AI jobs that wait for a decision',
    description:
      'Those that wait for approval, and those whose proposed changes wait for a review, as far as the caller may see them. `approvalId` names the request in `/api/home/approvals`.',
    permission: 'ai-jobs:read',
    object,
    query: AiApprovalQuery,
    answer: JobPage,
    problems: ['cursor_invalid'],
    example: {
      answer: {
        data: [{ ...example, status: 'awaiting_approval' }],
        page: { limit: 50, hasMore: false, nextCursor: null },
      },
    },
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.jobs.records.list({ ...query, 'status[in]': ['awaiting_approval', 'awaiting_review'] });
  }
}
