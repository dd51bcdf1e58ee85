import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { Performance, PerformanceQuery } from './performance.dto.js';
import { PerformanceService } from './performance.service.js';

@Controller('api/admin/performance')
export class PerformanceController {
  constructor(private readonly service: PerformanceService) {}

  @Route({
    id: 'admin.performance.get',
    summary: 'Read the measured performance',
    description:
      'Latency and outcome of your own requests, without this one, and the state of process, database, queues and workers. `http`, `routes` and `queues` count your tenant only. What cannot be measured is null, and `unavailable` says why.',
    permission: 'performance:read',
    query: PerformanceQuery,
    answer: Performance,
    tag: 'admin performance',
  })
  @Get()
  read(@Query() query: PerformanceQuery): Promise<Performance> {
    return this.service.read(query);
  }
}
