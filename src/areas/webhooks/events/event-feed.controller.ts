import { Controller, Get, Header, Query } from '@nestjs/common';
import { READS_TYPES } from '#libs/resource/routes/of-record.js';
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
      'For clients that cannot receive webhooks: all events in sequence order, except events about records that you may not see. Store `page.nextAfter` and continue from it. 410 `events_expired` means that unread events have been deleted, and where to continue.',
    permission: 'webhooks:read',
    besides: [READS_TYPES],
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
