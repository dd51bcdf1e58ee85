import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { MetricPage, MetricQuery } from './metrics.dto.js';
import { MetricsService } from './metrics.service.js';

@Controller('api/insights/metrics')
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Route({
    id: 'insights.metrics.list',
    summary: 'List the metrics',
    description: 'The metrics of the scorecards whose items you may read, by group.',
    permission: 'scorecards:read',
    withinReach: true,
    besides: [{ scope: '*:read', when: 'Always: a metric is shown only to callers who may read its items.' }],
    query: MetricQuery,
    answer: MetricPage,
    problems: ['cursor_invalid'],
    tag: 'insights metrics',
  })
  @Get()
  list(@Query() query: MetricQuery) {
    return this.metrics.list(query);
  }
}
