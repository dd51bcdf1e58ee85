import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { NOTIFICATIONS_PATH } from '#libs/notifications/notifier.js';
import { InboxService } from './inbox.service.js';
import { NotificationListQuery, NotificationPage, NotificationsRead, ReadNotifications } from './notification.dto.js';

const OF_PERSON = { permission: 'any', ofPerson: true } as const;

@Controller(NOTIFICATIONS_PATH)
export class InboxController {
  constructor(private readonly inbox: InboxService) {}

  @Route({
    ...OF_PERSON,
    id: 'home.notifications.list',
    summary: 'List your notifications',
    description: 'Newest first. Requires a session or a personal key.',
    query: NotificationListQuery,
    answer: NotificationPage,
    problems: ['permission_denied', 'cursor_invalid'],
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.inbox.list(query);
  }

  @Route({
    ...OF_PERSON,
    id: 'home.notifications.read',
    summary: 'Mark notifications as read',
    description: 'Those with the given ids, or all up to a time. Ids that are not yours are ignored.',
    body: ReadNotifications,
    answer: NotificationsRead,
    problems: ['permission_denied'],
  })
  @Post('read')
  read(@Body() input: ReadNotifications) {
    return this.inbox.read(input);
  }
}
