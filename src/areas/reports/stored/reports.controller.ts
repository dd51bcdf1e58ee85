import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Route, type RouteOptions } from '#libs/http/route.js';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { ReportFormatQuery, ReportResult } from '../query/report.dto.js';
import { ReportListQuery, reports } from './report.js';
import { type NewReport, type ReportPatch, ReportsService } from './reports.service.js';
import { ReportSchedule } from './schedule.js';

const TAG = 'reports';
const READS = { scope: '*:read', when: 'Always: the read permission of the type.' } as const;
const MANAGES = {
  scope: 'reports:manage',
  when: 'To share beyond your own workspaces, and for shared reports of others.',
} as const;
/** Runs of a schedule have the rights of the owner, so its credential must act for them. */
const OWNERS = { ofPerson: true, inPerson: true } as const satisfies Partial<RouteOptions>;
const route = routesOf(reports, 'reports.reports', { permission: 'reports:write', tag: TAG });

@Controller(reports.path)
export class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  @route.list({
    summary: 'List reports',
    description: 'Your own reports and reports that others share with you, limited to types that you can read.',
    permission: 'reports:read',
    query: ReportListQuery,
  })
  list(@Query() query: object) {
    return this.reports.objects.list(query);
  }

  @route.create({
    summary: 'Store a report',
    description: 'Fields that the type does not have, or that you may not see, are rejected with a pointer to them.',
    besides: [READS, MANAGES],
    problems: ['permission_denied', 'limit_reached'],
  })
  create(@Body() input: NewReport) {
    return this.reports.create(input);
  }

  @route.read({ summary: 'Read a report', permission: 'reports:read' })
  get(@Param('id') id: string) {
    return this.reports.objects.get(id);
  }

  @route.update({
    summary: 'Change a report',
    description: 'A JSON merge patch.',
    besides: [READS, MANAGES],
    problems: ['permission_denied'],
  })
  update(@Param('id') id: string, @Body() patch: ReportPatch) {
    return this.reports.update(id, patch);
  }

  @route.remove({
    summary: 'Delete a report with its stored runs',
    permission: 'reports:delete',
    besides: [MANAGES],
    problems: ['permission_denied'],
  })
  remove(@Param('id') id: string) {
    return this.reports.remove(id);
  }

  @Route({
    id: 'reports.reports.run',
    summary: 'Run a stored report now',
    description: 'Runs it with your own rights, whoever owns it. The result is not stored.',
    permission: 'reports:read',
    besides: [READS],
    query: ReportFormatQuery,
    answer: ReportResult,
    downloads: ['text/csv'],
    problems: ['not_found', 'permission_denied', 'report_timeout'],
    tag: TAG,
  })
  @Get(':id/run')
  run(@Param('id') id: string, @Query() { format }: ReportFormatQuery) {
    return this.reports.run(id, format);
  }

  @Route({
    ...OWNERS,
    id: 'reports.reports.schedule',
    summary: 'Schedule a report',
    description:
      'Sets or replaces the schedule of your own report, and resumes it if it is paused. The worker runs it with your rights at that time, stores each run and mails a link to the recipients. The schedule is paused when you are no longer an active member or lack a permission.',
    permission: 'reports:write',
    besides: [READS],
    body: ReportSchedule,
    answer: reports.view,
    record: true,
    problems: ['not_found', 'permission_denied', 'version_mismatch'],
    tag: TAG,
  })
  @Post(':id/schedule')
  schedule(@Param('id') id: string, @Body() input: ReportSchedule) {
    return this.reports.schedule(id, input);
  }

  @Route({
    ...OWNERS,
    id: 'reports.reports.unschedule',
    summary: 'Remove the schedule of a report',
    permission: 'reports:write',
    answer: reports.view,
    record: true,
    problems: ['not_found', 'permission_denied', 'version_mismatch'],
    tag: TAG,
  })
  @Delete(':id/schedule')
  unschedule(@Param('id') id: string) {
    return this.reports.unschedule(id);
  }
}
