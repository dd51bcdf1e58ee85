import { Module } from '@nestjs/common';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { InboxService } from './inbox.service.js';

/** The notifications of the caller, without routes. */
@Module({ imports: [NotificationsModule], providers: [InboxService], exports: [InboxService] })
export class InboxRecordsModule {}
