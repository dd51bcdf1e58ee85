import { Controller, Get, Param } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { WebhookDeliveryWithAnswers } from './delivery.dto.js';
import { DeliveriesService } from './deliveries.service.js';

@Controller('api/webhooks/deliveries')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

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
}
