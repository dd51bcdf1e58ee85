import { Module } from '@nestjs/common';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { AccessReviewsRepository } from './access-reviews.repository.js';
import { Populations } from './population.js';
import { ReviewLetters } from './review-letters.js';
import { ReviewRecords } from './review-records.js';
import { ReviewStarts } from './review-starts.service.js';
import { ReviewTimers } from './review-timers.js';
import { Reviewers } from './reviewers.js';

/** Access reviews without routes, for the worker, which handles their dates. */
@Module({
  imports: [NotificationsModule],
  providers: [
    AccessReviewsRepository,
    Populations,
    Reviewers,
    ReviewLetters,
    ReviewRecords,
    ReviewStarts,
    ReviewTimers,
  ],
  exports: [AccessReviewsRepository, Reviewers, ReviewLetters, ReviewRecords, ReviewStarts],
})
export class AccessReviewsRecordsModule {}
