import { Get, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { itemQuery, recordQuery } from '#libs/resource/lists/list-shape.js';
import { aiJobs, jobList, JobPage } from './job.resource.js';
import type { AiJobsService } from './ai-jobs.service.js';

const { example, type: object } = aiJobs;
const JobQuery = recordQuery('AiJobQuery', aiJobs, jobList);
const OneJobQuery = itemQuery(aiJobs);
const OWN =
  'The caller sees their own jobs; with `ai-jobs:read-all` or `ai-jobs:manage` all of them; with `ai-jobs:approve` also those that somebody has to decide about.';

/** The routes that read jobs, shared by two paths. */
export function JobReading(prefix: 'ai.jobs' | 'intelligence.jobs') {
  abstract class Reading {
    protected abstract readonly jobs: AiJobsService;

    @Route({
      id: `${prefix}.list`,
      summary: 'List AI jobs',
      description: OWN,
      permission: 'ai-jobs:read',
      object,
      query: JobQuery,
      answer: JobPage,
      problems: ['cursor_invalid'],
      example: { answer: { data: [example], page: { limit: 50, hasMore: false, nextCursor: null } } },
    })
    @Get()
    list(@Query() query: Record<string, unknown>) {
      return this.jobs.records.list(query);
    }

    @Route({
      id: `${prefix}.get`,
      summary: 'Read an AI job',
      description: OWN,
      permission: 'ai-jobs:read',
      object,
      query: OneJobQuery,
      answer: aiJobs.view,
      record: true,
      example: { answer: example },
    })
    @Get(':id')
    get(@Param('id') id: string, @Query() query: Record<string, unknown>) {
      return this.jobs.records.get(id, query);
    }
  }
  return Reading;
}
