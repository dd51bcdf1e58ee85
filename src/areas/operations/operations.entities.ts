import type { EntityClass } from '#libs/database/data-source.js';
import { Job } from '#libs/jobs/job.js';

export const OPERATIONS_ENTITIES: EntityClass[] = [Job];
