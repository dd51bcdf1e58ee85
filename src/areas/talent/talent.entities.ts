import type { EntityClass } from '#libs/database/data-source.js';
import { Application } from './applications/application.entity.js';
import { Candidate } from './candidates/candidate.entity.js';
import { Interview } from './interviews/interview.entity.js';
import { Job } from './jobs/job.entity.js';
import { Offer } from './offers/offer.entity.js';
import { Scorecard } from './scorecards/scorecard.entity.js';

export const TALENT_ENTITIES: EntityClass[] = [Application, Candidate, Interview, Job, Offer, Scorecard];
