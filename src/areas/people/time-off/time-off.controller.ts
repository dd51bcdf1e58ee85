import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { Balances } from './balances.js';
import { TimeOffBalanceQuery, TimeOffBalances } from './time-off.dto.js';
import { timeOffResource } from './time-off.resource.js';
import { TimeOffService } from './time-off.service.js';

@Controller(pathOf(timeOffResource))
export class TimeOffController extends ResourceController(timeOffResource) {
  constructor(
    service: TimeOffService,
    private readonly balances: Balances,
  ) {
    super(service);
  }

  @Route({
    id: 'people.time_off.balances',
    summary: 'Read what an employee has of each type of time off',
    permission: 'time-off:read',
    object: timeOffResource.type,
    query: TimeOffBalanceQuery,
    answer: TimeOffBalances,
  })
  @Get('balances')
  readBalances(@Query() query: TimeOffBalanceQuery) {
    return this.balances.read(query);
  }
}
