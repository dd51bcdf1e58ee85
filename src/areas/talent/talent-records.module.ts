import { Module } from '@nestjs/common';
import { declaresMetrics } from '#libs/measures/metric-catalogue.js';
import { ApplicationsService } from './applications/applications.service.js';
import { CandidatesService } from './candidates/candidates.service.js';
import { InterviewLetters } from './interviews/interview.letters.js';
import { JobApplicantsService } from './candidates/job-applicants.service.js';
import { InterviewsService } from './interviews/interviews.service.js';
import { AdvertisedJobsService } from './jobs/advertised-jobs.service.js';
import { JobsService } from './jobs/jobs.service.js';
import { OffersService } from './offers/offers.service.js';
import { ScorecardsService } from './scorecards/scorecards.service.js';
import { TalentLetters } from './talent.letters.js';
import { TalentTimers } from './talent.timers.js';
import { TALENT_METRICS } from './talent.metrics.js';

const SERVICES = [
  AdvertisedJobsService,
  ApplicationsService,
  CandidatesService,
  InterviewsService,
  JobApplicantsService,
  JobsService,
  OffersService,
  ScorecardsService,
];

/** Hiring without its routes, for every process. */
@Module({
  providers: [declaresMetrics(TALENT_METRICS), ...SERVICES, InterviewLetters, TalentLetters, TalentTimers],
  exports: SERVICES,
})
export class TalentRecordsModule {}
