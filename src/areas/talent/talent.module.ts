import { Module } from '@nestjs/common';
import { controllerOf } from '#libs/resource/routes/controller-of.js';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { applications } from './applications/application.js';
import { ApplicationsService } from './applications/applications.service.js';
import { CandidatesController } from './candidates/candidates.controller.js';
import { InterviewsController } from './interviews/interviews.controller.js';
import { jobs } from './jobs/job.js';
import { JobsService } from './jobs/jobs.service.js';
import { offers } from './offers/offer.js';
import { OffersService } from './offers/offers.service.js';
import { scorecards } from './scorecards/scorecard.js';
import { ScorecardsService } from './scorecards/scorecards.service.js';
import { TalentRecordsModule } from './talent-records.module.js';
import { talentSample } from './talent.sample.js';

/** Jobs, candidates with their applications, interviews, scorecards and offers. */
@Module({
  imports: [TalentRecordsModule],
  providers: [contributesSample('talent', talentSample)],
  controllers: [
    CandidatesController,
    InterviewsController,
    controllerOf(applications, ApplicationsService),
    controllerOf(jobs, JobsService),
    controllerOf(offers, OffersService),
    controllerOf(scorecards, ScorecardsService),
  ],
})
export class TalentModule {}
