import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { Usage, UsageQuery } from './usage.dto.js';
import { UsageService } from './usage.service.js';

@Controller('api/v1/developer/usage')
export class UsageController {
  constructor(private readonly service: UsageService) {}

  @Route({
    id: 'developer.usage.get',
    summary: 'Read usage and limits',
    description:
      'Requests of the tenant by day and class, as counted by the rate limiter, and the remaining rate limits. Requests refused before the rate limiter (401, unknown paths) are not counted. Series, keys and routes cover the calling key, or your personal keys when called with a session. With `usage:read-all` they cover the whole tenant, including sessions.',
    permission: 'usage:read',
    besides: [{ scope: 'usage:read-all', when: 'for series, keys and routes of others' }],
    query: UsageQuery,
    answer: Usage,
    tag: 'developer',
  })
  @Get()
  read(@Query() query: UsageQuery): Promise<Usage> {
    return this.service.read(query);
  }
}
