import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { TimeInState, TimeInStateQuery } from './time-in-state.dto.js';
import { TimeInStateService } from './time-in-state.service.js';

@Controller('api/process-intelligence/time-in-state')
export class TimeInStateController {
  constructor(private readonly service: TimeInStateService) {}

  @Route({
    id: 'process_intelligence.time_in_state.get',
    summary: 'Measure how long records stay in their states',
    description:
      'Time in state for all stays that ended within the span, by type, state and stage. The caller must also be able to read records of the type.',
    permission: 'process-intelligence:read',
    besides: [{ scope: '*:read', when: 'Always: the read permission of the type.' }],
    query: TimeInStateQuery,
    answer: TimeInState,
    tag: 'process intelligence',
  })
  @Get()
  measure(@Query() query: TimeInStateQuery): Promise<TimeInState> {
    return this.service.measure(query);
  }
}
