import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { holds } from './legal-hold.js';
import { PATH, policies } from './retention-policy.js';
import { DeletedPolicy, Retention, RetentionCommand, RetentionPreview, RetentionQuery } from './retention.requests.js';
import { RetentionService } from './retention.service.js';
import { RunView } from './run.dto.js';

@Controller(PATH)
export class RetentionController {
  constructor(private readonly retention: RetentionService) {}

  @Route({
    id: 'admin.retention.get',
    summary: 'Read retention policies, runs and legal holds',
    permission: 'retention:read',
    query: RetentionQuery,
    answer: Retention,
  })
  @Get()
  get(@Query() { include = ['runs', 'holds'] }: RetentionQuery) {
    return this.retention.get(include);
  }

  @Route({
    id: 'admin.retention.command',
    summary: 'Change retention policies, run them, place and release legal holds',
    description:
      'Policies run every night and on `run_now`, as a job in batches of 1,000. Deleted records leave a tombstone and the event `core.record.purged`. Records under a legal hold, and records that others refer to, are kept. A policy below the minimum of a type gets 409 `below_minimum_retention`. While a hold is active, the tenant cannot be closed.',
    permission: 'retention:manage',
    besides: [
      { scope: 'legal-holds:manage', when: 'To place or release a hold.' },
      {
        scope: 'tenant:close',
        when: 'To lower `retainDays`, to delete or anonymise records earlier than another policy of their type says or that no policy covers yet, and to delete a policy; only owners have it.',
      },
    ],
    protected: true,
    body: RetentionCommand,
    answer: [policies.view, holds.view, RetentionPreview, RunView, DeletedPolicy],
    problems: ['not_found', 'below_minimum_retention', 'limit_reached', 'invalid_transition', 'duplicate'],
    example: {
      body: { object: 'sales.deal', retainDays: 730, disposition: 'delete', filter: { status: 'lost' } },
      answer: policies.example,
    },
  })
  @Post()
  command(@Body() input: RetentionCommand) {
    return this.retention.run(input);
  }
}
