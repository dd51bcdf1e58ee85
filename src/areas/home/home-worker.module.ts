import { Module } from '@nestjs/common';
import { Authorities } from '#libs/auth/authority.js';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { ApprovalsRecordsModule } from './approvals/approvals-records.module.js';
import { ApprovalNotices } from './notifications/approval-notices.js';
import { Audience } from './notifications/audience.js';
import { ChangeNotices } from './notifications/change-notices.js';
import { CommentNotices } from './notifications/comment-notices.js';
import { DeliveryNotices } from './notifications/delivery-notices.js';
import { DigestUpkeep } from './notifications/digest-upkeep.js';
import { DigestsRepository } from './notifications/digests.repository.js';
import { DueUpkeep } from './notifications/due-upkeep.js';
import { HandoffNotices } from './notifications/handoff-notices.js';
import { NotificationRetentionUpkeep } from './notifications/notification-retention-upkeep.js';
import { FailureNotices } from './notifications/failure-notices.js';
import { MailNotices } from './notifications/mail-notices.js';
import { OtherNotices } from './notifications/other-notices.js';
import { ProposalNotices } from './notifications/proposal-notices.js';
import { TimeEntryNotices } from './notifications/time-entry-notices.js';
import { TimeOffNotices } from './notifications/time-off-notices.js';

/** Notifications from events and due dates, and the daily mails, in the worker. */
@Module({
  imports: [ApprovalsRecordsModule, NotificationsModule, WorkerBaseModule],
  providers: [
    ApprovalNotices,
    Audience,
    Authorities,
    ChangeNotices,
    CommentNotices,
    DeliveryNotices,
    DigestUpkeep,
    DigestsRepository,
    DueUpkeep,
    HandoffNotices,
    NotificationRetentionUpkeep,
    FailureNotices,
    MailNotices,
    OtherNotices,
    ProposalNotices,
    TimeEntryNotices,
    TimeOffNotices,
  ],
})
export class HomeWorkerModule extends WorkerPart {
  constructor(due: DueUpkeep, digests: DigestUpkeep, retention: NotificationRetentionUpkeep) {
    super(due, digests, retention);
  }
}
