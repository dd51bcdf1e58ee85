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
      'Up to 100 operations in 1 MiB, each a transaction of its own. Those that others refer to are taken before them. Each counts as a request: where the limit has no room for all of them, the answer is 429 and nothing is done.',
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
