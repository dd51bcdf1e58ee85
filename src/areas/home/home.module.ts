import { Module } from '@nestjs/common';
import { Authorities } from '#libs/auth/authority.js';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { AnnouncementsController } from './announcements/announcements.controller.js';
import { AnnouncementsService } from './announcements/announcements.service.js';
import { announcementsSample } from './announcements.sample.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { ApprovalsRecordsModule } from './approvals/approvals-records.module.js';
import { InboxController } from './notifications/inbox.controller.js';
import { InboxRecordsModule } from './notifications/inbox-records.module.js';
import { HomePagesController } from './pages/home-pages.controller.js';
import { HomePagesService } from './pages/home-pages.service.js';
import { BlockReader } from './start/block-reader.js';
import { HomeController } from './start/home.controller.js';
import { HomeService } from './start/home.service.js';
import { HomeBlocks } from './start/home-blocks.js';
import { Moments } from './start/moment.js';
import { RecentRecords } from './start/recent-records.js';
import { RecordBlocks } from './start/record-blocks.js';
import { Tiles } from './start/tiles.js';

/** What a person should know and do: the home page, announcements, notifications, requests for approval. */
@Module({
  imports: [ApprovalsRecordsModule, InboxRecordsModule, NotificationsModule],
  controllers: [AnnouncementsController, ApprovalsController, HomeController, HomePagesController, InboxController],
  providers: [
    AnnouncementsService,
    Authorities,
    BlockReader,
    contributesSample('home', announcementsSample),
    HomeBlocks,
    HomePagesService,
    HomeService,
    Moments,
    RecentRecords,
    RecordBlocks,
    Tiles,
  ],
})
export class HomeModule {}
