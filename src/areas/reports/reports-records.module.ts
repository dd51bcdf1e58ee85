import { Module } from '@nestjs/common';
import { Authorities } from '#libs/auth/authority.js';
import { Credentials } from '#libs/auth/credentials.js';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { ReportEngine } from './query/report-engine.js';
import { ReportRuns } from './runs/report-runs.js';
import { RunLetters } from './runs/run-letters.js';
import { ReportRecords } from './stored/report-records.js';
import { ReportSchedules } from './stored/report-schedules.js';

/** Reports without routes, for the worker, which runs them. */
@Module({
  imports: [NotificationsModule],
  providers: [Authorities, Credentials, ReportEngine, ReportRecords, ReportRuns, ReportSchedules, RunLetters],
  exports: [ReportEngine, ReportRecords, ReportRuns, ReportSchedules],
})
export class ReportsRecordsModule {}
