import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { THRESHOLD, WEEKS } from '../statistics/anomaly.js';
import { AnomaliesService } from './anomalies.service.js';
import { Anomalies, AnomalyQuery } from './anomaly.dto.js';

@Controller('api/insights/anomalies')
export class AnomaliesController {
  constructor(private readonly anomalies: AnomaliesService) {}

  @Route({
    id: 'insights.anomalies.list',
    summary: 'List anomalies',
    description: `Recorded values that are at least ${THRESHOLD} deviations from the median of the same weekday in the ${WEEKS} weeks before, newest first. \`GET /api/insights/metrics/{key}/history\` shows the values compared with, and why a day was not tested. Only metrics whose counted items you may all see are included.`,
    permission: 'scorecards:read',
    besides: [{ scope: '*:read', when: 'Always: the permission to read all items that a metric counts.' }],
    query: AnomalyQuery,
    answer: Anomalies,
    tag: 'insights anomalies',
  })
  @Get()
  list(@Query() query: AnomalyQuery): Promise<Anomalies> {
    return this.anomalies.list(query);
  }
}
