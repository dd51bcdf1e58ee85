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
      'Makes one attempt immediately, regardless of the status of the delivery, even if the endpoint is paused or disabled or its breaker is open. A success marks the delivery as delivered and closes the breaker. A failure changes neither the status nor the scheduled attempts.',
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
