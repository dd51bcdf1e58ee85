import { Module } from '@nestjs/common';
import { ApplicationsRepository } from './applications/applications.repository.js';
import { ApplicationsService } from './applications/applications.service.js';
import { CandidatesRepository } from './candidates/candidates.repository.js';
import { CandidatesService } from './candidates/candidates.service.js';
import { InterviewsRepository } from './interviews/interviews.repository.js';
import { InterviewsService } from './interviews/interviews.service.js';
import { JobsRepository } from './jobs/jobs.repository.js';
import { JobsService } from './jobs/jobs.service.js';
import { OffersRepository } from './offers/offers.repository.js';
import { OffersService } from './offers/offers.service.js';
import { ScorecardsRepository } from './scorecards/scorecards.repository.js';
import { ScorecardsService } from './scorecards/scorecards.service.js';
import { TalentTimers } from './talent.timers.js';

const SERVICES = [
  ApplicationsService,
  CandidatesService,
  InterviewsService,
  JobsService,
  OffersService,
  ScorecardsService,
];

/** Hiring without its routes, for every process. */
@Module({
  providers: [
    ...SERVICES,
    ApplicationsRepository,
    CandidatesRepository,
    InterviewsRepository,
    JobsRepository,
    OffersRepository,
    ScorecardsRepository,
    TalentTimers,
  ],
  exports: SERVICES,
})
export class TalentRecordsModule {}
