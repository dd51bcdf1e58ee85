import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Route, type RouteOptions } from '#libs/http/route.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { ReportFormatQuery } from '../query/report.dto.js';
import { reports } from '../stored/report.js';
import { ReportRunDetail, ReportRunQuery, reportRuns } from './report-run.js';
import { ReportRunsService } from './runs.service.js';

const COMMON = {
  permission: 'reports:read',
  ofPerson: true,
  inPerson: true,
  tag: 'reports runs',
} as const satisfies Partial<RouteOptions>;

@Controller()
export class ReportRunsController {
  constructor(private readonly runs: ReportRunsService) {}

  @Route({
    ...COMMON,
    id: 'reports.runs.list',
    summary: 'List the stored runs of a report',
    description: 'Runs that you requested, runs of your schedule, and scheduled runs that were sent to you.',
    query: ReportRunQuery,
    answer: pageOf(reportRuns.view),
    problems: ['not_found', 'cursor_invalid', 'permission_denied'],
  })
  @Get(`${reports.path.slice(1)}/:id/runs`)
  list(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.runs.list(id, query);
  }

  @Route({
    ...COMMON,
    id: 'reports.runs.start',
    summary: 'Run a report and store the result',
    description: 'The worker runs it with your rights. Read the run, or its job, to follow it; only you can read it.',
    besides: [{ scope: '*:read', when: 'Always: the read permission of the type.' }],
    status: 201,
    location: reportRuns.path,
    answer: reportRuns.view,
    problems: ['not_found', 'permission_denied'],
  })
  @Post(`${reports.path.slice(1)}/:id/runs`)
  start(@Param('id') id: string) {
    return this.runs.start(id);
  }

  @Route({
    ...COMMON,
    id: 'reports.runs.get',
    summary: 'Read a stored run with its rows',
    description: 'Requires that you may still see all fields of the report.',
    besides: [{ scope: '*:read', when: 'Always: the read permission of the type.' }],
    query: ReportFormatQuery,
    answer: ReportRunDetail,
    downloads: ['text/csv'],
    problems: ['not_found', 'permission_denied', 'field_forbidden', 'blocked'],
  })
  @Get(`${reportRuns.path.slice(1)}/:id`)
  get(@Param('id') id: string, @Query() { format }: ReportFormatQuery) {
    return this.runs.get(id, format);
  }
}
