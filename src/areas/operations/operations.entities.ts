import type { EntityClass } from '#libs/database/data-source.js';
import { Job } from '#libs/jobs/job.js';
import { Checklist } from '#libs/checklists/checklist.js';

export const OPERATIONS_ENTITIES: EntityClass[] = [Checklist, Job];
