import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { SlaQuery, SlaReport } from './sla-report.dto.js';
import { SlaReportService } from './sla-report.service.js';

@Controller('api/admin/compliance/sla-report')
export class SlaReportController {
  constructor(private readonly reports: SlaReportService) {}

  @Route({
    id: 'admin.compliance.sla_report.get',
    summary: 'Read the service-level report',
    description:
      'How the services performed for your tenant, from recorded requests, deliveries and AI jobs, against the commitments of your plan. The report of a month is closed an hour after its end. A closed report never changes; the operator can correct it with a new version, which says why. Reading it is audited.',
    permission: 'sla:read',
    query: SlaQuery,
    answer: SlaReport,
    tag: 'admin compliance',
  })
  @Get()
  read(@Query() query: SlaQuery): Promise<SlaReport> {
    return this.reports.read(query);
  }
}
