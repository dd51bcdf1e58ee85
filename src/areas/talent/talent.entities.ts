import type { EntityClass } from '#libs/database/data-source.js';
import { Application } from './applications/application.js';
import { Candidate } from './candidates/candidate.js';
import { Interview } from './interviews/interview.js';
import { Job } from './jobs/job.js';
import { Offer } from './offers/offer.js';
import { Scorecard } from './scorecards/scorecard.js';

export const TALENT_ENTITIES: EntityClass[] = [Application, Candidate, Interview, Job, Offer, Scorecard];
