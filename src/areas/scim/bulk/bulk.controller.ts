import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ScimRoute } from '../scim-route.js';
import { BulkLimitGuard } from './bulk-limit.guard.js';
import { ScimBulk, ScimBulkAnswer } from './bulk.model.js';
import { BulkService } from './bulk.service.js';

@Controller('api/scim/v2/Bulk')
export class BulkController {
  constructor(private readonly bulk: BulkService) {}

  @ScimRoute({
    id: 'scim.bulk',
    summary: 'Change many resources',
    description:
      'Up to 100 operations in 1 MiB, each in its own transaction. Operations run after those that they refer to. Each counts as a request: if they exceed the rate limit together, the response is 429 and none is executed.',
    body: ScimBulk,
    answer: ScimBulkAnswer,
    problems: ['payload_too_large'],
  })
  @UseGuards(BulkLimitGuard)
  @Post()
  run(@Body() body: unknown) {
    return this.bulk.run(body);
  }
}
