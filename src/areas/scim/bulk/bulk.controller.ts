import { Body, Controller, Post } from '@nestjs/common';
import { ScimRoute } from '../scim-route.js';
import { ScimBulk, ScimBulkAnswer } from './bulk.model.js';
import { BulkService } from './bulk.service.js';

@Controller('api/scim/v2/Bulk')
export class BulkController {
  constructor(private readonly bulk: BulkService) {}

  @ScimRoute({
    id: 'scim.bulk',
    summary: 'Change many resources',
    description:
      'Up to 1,000 operations in 1 MiB, each a transaction of its own. Those that others refer to are taken before them.',
    body: ScimBulk,
    answer: ScimBulkAnswer,
    problems: ['payload_too_large'],
  })
  @Post()
  run(@Body() body: unknown) {
    return this.bulk.run(body);
  }
}
