import type { EntityClass } from '#libs/database/data-source.js';
import { ReportRun } from './runs/report-run.js';
import { Report } from './stored/report.js';

export const REPORTS_ENTITIES: EntityClass[] = [Report, ReportRun];
