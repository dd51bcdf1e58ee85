import { Controller, Get, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { WebhookDeliveryWithAnswers } from './delivery.dto.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryMovesService } from './delivery-moves.service.js';

@Controller('api/webhooks/deliveries')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly moves: DeliveryMovesService,
  ) {}

  @Route({
    id: 'webhooks.deliveries.get',
    summary: 'Read a webhook delivery with its attempts',
    permission: 'webhooks:read',
    answer: WebhookDeliveryWithAnswers,
    problems: ['not_found'],
  })
  @Get(':id')
  get(@Param('id') id: string) {
    return this.deliveries.get(id);
  }

  @Route({
    id: 'webhooks.deliveries.resend',
    summary: 'Send a webhook delivery again',
    description:
      'One attempt, now, whatever became of the delivery, and also while the endpoint is paused or disabled or its breaker is open, which a success closes. It takes no attempt from the schedule: if it fails, status and planned attempts stay as they are; if it succeeds, the delivery is delivered.',
    permission: 'webhooks:write',
    status: 202,
    answer: WebhookDeliveryWithAnswers,
    answerDescription: 'The delivery as it is now; the attempt is made in the background.',
    problems: ['not_found', 'outbox_state_conflict', 'endpoint_deleted', 'blocked'],
  })
  @Post(':id/resend')
  resend(@Param('id') id: string) {
    return this.moves.resend(id);
  }
}
