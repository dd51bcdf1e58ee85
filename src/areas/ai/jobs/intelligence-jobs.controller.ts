import { Controller, Get, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { JobPage, AiJobView } from './job.dto.js';
import { jobResource } from './job.resource.js';
import { JobQuery } from './jobs.controller.js';
import { JobsService } from './jobs.service.js';

const { example, type: object } = jobResource;

/** The door to jobs that the interface document names. `Source:` domain document "core", section 9.2. */
@Controller('/api/v1/intelligence/jobs')
export class IntelligenceJobsController {
  constructor(private readonly jobs: JobsService) {}

  @Route({
    id: 'intelligence.jobs.list',
    summary: 'List AI jobs',
    description: 'As `/api/ai/jobs`.',
    permission: 'ai-jobs:read',
    object,
    query: JobQuery,
    answer: JobPage,
    problems: ['cursor_invalid'],
    example: { answer: { data: [example], page: { limit: 50, hasMore: false, nextCursor: null } } },
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.jobs.list(query);
  }

  @Route({
    id: 'intelligence.jobs.get',
    summary: 'Read an AI job',
    description: 'As `/api/ai/jobs/{id}`.',
    permission: 'ai-jobs:read',
    object,
    answer: AiJobView,
    record: true,
    example: { answer: example },
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.jobs.get(id);
  }
}
