import { Module } from '@nestjs/common';
import { ApplicationsController } from './applications/applications.controller.js';
import { CandidatesController } from './candidates/candidates.controller.js';
import { InterviewsController } from './interviews/interviews.controller.js';
import { JobsController } from './jobs/jobs.controller.js';
import { OffersController } from './offers/offers.controller.js';
import { ScorecardsController } from './scorecards/scorecards.controller.js';
import { TalentRecordsModule } from './talent-records.module.js';

/** Jobs, candidates with their applications, interviews, scorecards and offers. */
@Module({
  imports: [TalentRecordsModule],
  controllers: [
    ApplicationsController,
    CandidatesController,
    InterviewsController,
    JobsController,
    OffersController,
    ScorecardsController,
  ],
})
export class TalentModule {}
