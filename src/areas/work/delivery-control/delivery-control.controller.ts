import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { DeliveryControlBulkService } from './delivery-bulk.service.js';
import { DeliveryCommand, DeliveryCommandResult } from './delivery-command.dto.js';
import { DeliveryControlService } from './delivery-control.service.js';
import { DeliveryQuery } from './delivery-list.js';
import { DeliveryPage } from './delivery.dto.js';

@Controller('api/admin/delivery-control')
export class DeliveryControlController {
  constructor(
    private readonly control: DeliveryControlService,
    private readonly bulk: DeliveryControlBulkService,
  ) {}

  @Route({
    id: 'admin.delivery_control.list',
    summary: 'List the projects under delivery control',
    description:
      'Open projects that came from a handoff, have an account or are billable. Figures are computed when you read them; business days are those of the tenant’s calendar. `stale` selects active projects whose health was not reported for 14 days.',
    permission: 'delivery:read',
    withinReach: true,
    besides: [
      { scope: 'accounts:read', when: 'To see the names of accounts.' },
      { scope: 'deals:read', when: 'To count the value of deals in `valueAtRisk`.' },
    ],
    query: DeliveryQuery,
    answer: DeliveryPage,
    problems: ['cursor_invalid'],
    tag: 'admin delivery control',
  })
  @Get()
  list(@Query() query: Record<string, unknown>): Promise<DeliveryPage> {
    return this.control.list(query);
  }

  @Route({
    id: 'admin.delivery_control.apply',
    summary: 'Act on many projects under delivery control',
    description:
      'Select projects by `projectIds` or `filter`; a filter may match at most 200. A refusal concerns only its project unless `atomic` is set. A project that you may not manage is reported as `not_found`.',
    permission: 'delivery:manage',
    withinReach: true,
    body: DeliveryCommand,
    answer: DeliveryCommandResult,
    tag: 'admin delivery control',
    example: {
      body: { filter: { health: 'off_track' }, action: 'escalate', params: { severity: 'high' }, reason: 'Late' },
    },
  })
  @Post('bulk')
  apply(@Body() command: DeliveryCommand): Promise<DeliveryCommandResult> {
    return this.bulk.run(command);
  }
}
