import { Body, Controller, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { MetricsAnswer, MetricsQuestion } from './query.dto.js';
import { QueryService } from './query.service.js';

@Controller('api/insights/query')
export class QueryController {
  constructor(private readonly service: QueryService) {}

  @Route({
    id: 'insights.query',
    summary: 'Read metrics over time',
    description:
      'Several metrics by day, week, month or quarter. Metrics of a period are measured from the records that you may read, and `drillDown` lists them. Metrics of the current state come from the daily recording, and are included only if you may see all items that they count. Metrics that you may not read are omitted. Nothing is stored.',
    permission: 'scorecards:read',
    besides: [{ scope: '*:read', when: 'Always: the permission to read the items of each metric.' }],
    safe: true,
    status: 200,
    body: MetricsQuestion,
    answer: MetricsAnswer,
    tag: 'insights metrics',
    example: { body: { metrics: ['deals_won'], from: '2026-06-01', to: '2026-11-20', compareTo: 'previous' } },
  })
  @Post()
  ask(@Body() question: MetricsQuestion): Promise<MetricsAnswer> {
    return this.service.ask(question);
  }
}
