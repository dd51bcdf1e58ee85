import { Module } from '@nestjs/common';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { ActivityController } from './activity/activity.controller.js';
import { ActivityRepository } from './activity/activity.repository.js';
import { ActivityService } from './activity/activity.service.js';
import { AttachmentsController } from './attachments/attachments.controller.js';
import { AttachmentsRepository } from './attachments/attachments.repository.js';
import { AttachmentsService } from './attachments/attachments.service.js';
import { CommentsController } from './comments/comments.controller.js';
import { CommentsRepository } from './comments/comments.repository.js';
import { CommentsService } from './comments/comments.service.js';
import { commentsSample } from './comments.sample.js';
import { LinksController } from './links/links.controller.js';
import { LinksRecordsModule } from './links/links-records.module.js';
import { WatchersController } from './watchers/watchers.controller.js';
import { WatchersRepository } from './watchers/watchers.repository.js';
import { WatchersService } from './watchers/watchers.service.js';

/** The timeline of records of any type: comments, attachments, links, watchers and activity. */
@Module({
  imports: [LinksRecordsModule],
  controllers: [ActivityController, AttachmentsController, CommentsController, LinksController, WatchersController],
  providers: [
    ActivityRepository,
    ActivityService,
    AttachmentsRepository,
    AttachmentsService,
    CommentsRepository,
    CommentsService,
    contributesSample('timeline', commentsSample),
    WatchersRepository,
    WatchersService,
  ],
})
export class TimelineModule {}
