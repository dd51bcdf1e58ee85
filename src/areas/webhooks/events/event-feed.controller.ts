import { Controller, Get, Header, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { WebhookEventPage, WebhookEventQuery } from './event-feed.dto.js';
import { EventFeedService } from './event-feed.service.js';

@Controller('api/webhooks/events')
export class EventFeedController {
  constructor(private readonly feed: EventFeedService) {}

  @Route({
    id: 'webhooks.events.list',
    summary: 'List events in order',
    description:
      'For who cannot be called: every event in the order of its sequence, but those about records that you may not see. Keep `page.nextAfter` and go on with it. 410 `events_expired` tells when events that you have not read are no longer kept, and where to go on.',
    permission: 'webhooks:read',
    query: WebhookEventQuery,
    answer: WebhookEventPage,
    problems: ['events_expired', 'cursor_invalid'],
  })
  @Header('content-type', 'application/json; charset=utf-8')
  @Get()
  list(@Query() query: WebhookEventQuery) {
    return this.feed.page(query);
  }
}
