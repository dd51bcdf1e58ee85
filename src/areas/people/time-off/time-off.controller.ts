import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { TimeOffBalanceQuery, TimeOffBalances } from './balance.dto.js';
import { Balances } from './balances.js';
import { timeOff } from './time-off.js';
import { TimeOffService } from './time-off.service.js';

@Controller(pathOf(timeOff))
export class TimeOffController extends ResourceController(timeOff) {
  constructor(
    { records }: TimeOffService,
    private readonly balances: Balances,
  ) {
    super(records);
  }

  @Route({
    id: 'people.time_off.balances',
    summary: 'Read the time off balances of an employee',
    permission: 'time-off:read',
    object: timeOff.type,
    query: TimeOffBalanceQuery,
    answer: TimeOffBalances,
  })
  @Get('balances')
  readBalances(@Query() query: TimeOffBalanceQuery) {
    return this.balances.read(query);
  }
}
