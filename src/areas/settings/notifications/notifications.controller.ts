import { Body, Controller, Get, Patch } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { Notifications, UpdateNotifications } from './notifications.dto.js';
import { NotificationsService } from './notifications.service.js';

@Controller('api/settings/notifications')
export class NotificationsController {
  constructor(private readonly notifications: NotificationsService) {}

  @Route({
    id: 'settings.notifications.get',
    summary: 'Read your notification settings',
    description: 'Requires a session or a personal key.',
    permission: 'any',
    ofPerson: true,
    answer: Notifications,
    record: true,
    problems: ['permission_denied'],
  })
  @Get()
  read() {
    return this.notifications.read();
  }

  @Route({
    id: 'settings.notifications.update',
    summary: 'Change your notification settings',
    description: 'A JSON merge patch. It applies from the next notification on.',
    permission: 'any',
    ofPerson: true,
    body: UpdateNotifications,
    answer: Notifications,
    record: true,
    problems: ['permission_denied'],
  })
  @Patch()
  update(@Body() patch: UpdateNotifications) {
    return this.notifications.update(patch);
  }
}
