import { Module } from '@nestjs/common';
import { Authorities } from '#libs/auth/authority.js';
import { NotificationsRepository } from './notifications.repository.js';
import { Notifier } from './notifier.js';

/** Notifications of members. */
@Module({
  providers: [Authorities, NotificationsRepository, Notifier],
  exports: [NotificationsRepository, Notifier],
})
export class NotificationsModule {}
