import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { Overview, OverviewQuery } from './overview.dto.js';
import { OverviewService } from './overview.service.js';

@Controller('api/admin/overview')
export class OverviewController {
  constructor(private readonly service: OverviewService) {}

  @Route({
    id: 'admin.overview.get',
    summary: 'Read the overview of the tenant',
    description:
      'Key figures of people, business, service and compliance, and what needs attention. Sections and figures that you may not read are omitted. Records are counted as their lists show them to you.',
    permission: 'overview:read',
    besides: [{ scope: '*:read', when: 'Always: a section is shown only to callers who may read it.' }],
    query: OverviewQuery,
    answer: Overview,
    tag: 'admin overview',
  })
  @Get()
  read(@Query() query: OverviewQuery): Promise<Overview> {
    return this.service.read(query);
  }
}
