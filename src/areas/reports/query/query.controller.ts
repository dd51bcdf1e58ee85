import { Body, Controller, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { completed } from './question.js';
import { ReportEngine } from './report-engine.js';
import { ReportQuery, ReportResult } from './report.dto.js';

@Controller('api/reports')
export class ReportQueryController {
  constructor(private readonly engine: ReportEngine) {}

  @Route({
    id: 'reports.query.run',
    summary: 'Run a report without storing it',
    description:
      'Groups and aggregates the records that you may see. Each row has the path of the list of its records. Fields that you may not see are rejected with `field_forbidden`.',
    permission: 'reports:read',
    besides: [{ scope: '*:read', when: 'Always: the read permission of the type.' }],
    body: ReportQuery,
    answer: ReportResult,
    safe: true,
    problems: ['report_timeout'],
    tag: 'reports',
  })
  @Post('query')
  query(@Body() query: ReportQuery) {
    return this.engine.run(completed(query));
  }
}
