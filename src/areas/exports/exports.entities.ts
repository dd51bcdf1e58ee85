import type { EntityClass } from '#libs/database/data-source.js';
import { ExportJob } from './jobs/export-job.js';
import { ExportSchedule } from './schedules/export-schedule.js';

export const EXPORTS_ENTITIES: EntityClass[] = [ExportJob, ExportSchedule];
