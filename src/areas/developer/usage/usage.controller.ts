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
      'Requests of the tenant by day and class, as the rate limiter counted them, and what is left of the limits now. ' +
      'Requests that were refused before they reached the limiter (401, unknown paths) are in none of the figures. ' +
      'Series, keys and routes tell of the key that asks, in a session of your personal keys; with `usage:read-all` of the whole tenant, sessions included.',
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
