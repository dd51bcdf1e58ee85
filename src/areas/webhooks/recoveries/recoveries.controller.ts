import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { RecoverWebhookEndpoint, WebhookRecovery, WebhookRecoveryPage, WebhookRecoveryQuery } from './recovery.dto.js';
import { RecoveriesService } from './recoveries.service.js';

@Controller('api/webhooks')
export class RecoveriesController {
  constructor(private readonly recoveries: RecoveriesService) {}

  @Route({
    id: 'webhooks.endpoints.recover',
    summary: 'Send the missed events to a webhook endpoint',
    description:
      'Starts a job that puts deliveries of a time into the queue again, the oldest first, however many there are; they go out at the rate of the endpoint. With dryRun it only counts them. Up to 20,000 events are counted before the answer, more of them by the job.',
    permission: 'webhooks:write',
    body: RecoverWebhookEndpoint,
    status: 202,
    answer: WebhookRecovery,
    answerDescription: 'The job; it goes on in the background unless it is completed',
    problems: ['not_found', 'limit_reached', 'version_mismatch'],
  })
  @Post('endpoints/:id/recover')
  recover(@Param('id') id: string, @Body() input: RecoverWebhookEndpoint) {
    return this.recoveries.recover(id, input);
  }

  @Route({
    id: 'webhooks.endpoints.recoveries',
    summary: 'List the recoveries of a webhook endpoint',
    permission: 'webhooks:read',
    query: WebhookRecoveryQuery,
    answer: WebhookRecoveryPage,
    problems: ['not_found', 'cursor_invalid'],
  })
  @Get('endpoints/:id/recoveries')
  list(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.recoveries.list(id, query);
  }

  @Route({
    id: 'webhooks.recoveries.get',
    summary: 'Read a recovery with its progress',
    permission: 'webhooks:read',
    answer: WebhookRecovery,
    problems: ['not_found'],
  })
  @Get('recoveries/:id')
  get(@Param('id') id: string) {
    return this.recoveries.get(id);
  }

  @Route({
    id: 'webhooks.recoveries.cancel',
    summary: 'Cancel a recovery',
    description: 'Deliveries that are already queued are still sent.',
    permission: 'webhooks:write',
    answer: WebhookRecovery,
    problems: ['not_found', 'invalid_transition'],
  })
  @Post('recoveries/:id/cancel')
  cancel(@Param('id') id: string) {
    return this.recoveries.cancel(id);
  }
}
