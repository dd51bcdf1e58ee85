import { Module } from '@nestjs/common';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { ApprovalsRecordsModule } from './approvals/approvals-records.module.js';
import { InboxController } from './notifications/inbox.controller.js';
import { InboxService } from './notifications/inbox.service.js';
import { HomeController } from './start/home.controller.js';
import { HomeService } from './start/home.service.js';

/** What a person should know and do: key figures, requests for approval, notifications. */
@Module({
  imports: [ApprovalsRecordsModule, NotificationsModule],
  controllers: [ApprovalsController, HomeController, InboxController],
  providers: [HomeService, InboxService],
})
export class HomeModule {}
