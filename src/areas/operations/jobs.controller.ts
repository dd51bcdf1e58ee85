import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { AsyncJobPage, AsyncJobQuery, AsyncJob } from './job.dto.js';
import { BackgroundJobsService } from './jobs.service.js';

const GIVEN_UP = [{ scope: 'settings:manage' as const, when: 'For flows and timers that the platform has given up.' }];

@Controller('api/operations/jobs')
export class JobsController {
  constructor(private readonly jobs: BackgroundJobsService) {}

  @Route({
    id: 'operations.jobs.list',
    summary: 'List jobs',
    description:
      'Your own jobs, and those of others if you may manage their kind. Partners see those that they have started. A flow or timer that the platform has given up after its last attempt is a `failed` job too, whose `requestedBy` is the automation.',
    permission: 'any',
    forPartners: true,
    besides: GIVEN_UP,
    query: AsyncJobQuery,
    answer: AsyncJobPage,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.jobs.list(query);
  }

  @Route({
    id: 'operations.jobs.get',
    summary: 'Read a job with its progress',
    description: 'Your own jobs, and those of others if you may manage their kind.',
    permission: 'any',
    forPartners: true,
    besides: [
      { scope: 'retention:manage', when: 'For runs of retention policies that others started.' },
      { scope: 'members:read', when: 'For transfers of records that others started.' },
      ...GIVEN_UP,
    ],
    answer: AsyncJob,
    problems: ['not_found'],
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.jobs.get(id);
  }

  @Route({
    id: 'operations.jobs.cancel',
    summary: 'Cancel a job',
    description:
      'Ends a job that is queued or running. What it has done so far stays. You can cancel your own jobs, and those of others whose work you may order.',
    permission: 'any',
    forPartners: true,
    besides: [
      { scope: 'retention:manage', when: 'For runs of retention policies that others started.' },
      { scope: 'members:manage', when: 'For transfers of records that others started.' },
      { scope: 'employees:manage', when: 'For the handover of what an employee leaves behind.' },
      { scope: 'reports:manage', when: 'For runs of reports that others started.' },
      { scope: 'webhooks:write', when: 'For recoveries that others started.' },
    ],
    answer: AsyncJob,
    problems: ['permission_denied', 'not_found', 'invalid_transition'],
  })
  @Post(':id/cancel')
  cancel(@Param('id') id: string) {
    return this.jobs.cancel(id);
  }
}
