import { Body, Controller, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { MeasuredRequests, RequestQuestion } from './observability.dto.js';
import { ObservabilityService } from './observability.service.js';

@Controller('api/observability/query')
export class ObservabilityController {
  constructor(private readonly service: ObservabilityService) {}

  @Route({
    id: 'observability.query',
    summary: 'Measure the requests of the tenant',
    description:
      'Counts by status class, latencies and volume of the tenant’s API requests, over time or by route, area or credential. The figures come from what each API process counted, with the minutes in which none was up. SCIM requests are not included, and neither is the request itself. Nothing is stored.',
    permission: 'observability:read',
    safe: true,
    status: 200,
    body: RequestQuestion,
    bodyOptional: true,
    answer: MeasuredRequests,
    tag: 'observability',
    example: { body: { groupBy: 'route' } },
  })
  @Post()
  measure(@Body() question: RequestQuestion): Promise<MeasuredRequests> {
    return this.service.measure(question);
  }
}
