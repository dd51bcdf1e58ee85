import { Module } from '@nestjs/common';
import { Authorities } from '#libs/auth/authority.js';
import { GuarantorsModule } from '#libs/auth/guarantors.module.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { ExportNotices } from './jobs/export-notices.js';
import { ExportParts } from './jobs/export-parts.js';
import { ExportRecords } from './jobs/export-records.js';
import { ExportRuns } from './jobs/export-runs.js';
import { ScheduleRecords } from './schedules/schedule-records.js';
import { ScheduleTimers } from './schedules/schedule-timers.js';
import { ExportTables } from './table/export-tables.js';

/** Exports without routes, for the worker, which makes them. */
@Module({
  imports: [GuarantorsModule, NotificationsModule],
  providers: [
    Authorities,
    ExportNotices,
    ExportParts,
    ExportRecords,
    ExportRuns,
    ExportTables,
    PermissionHolders,
    ScheduleRecords,
    ScheduleTimers,
  ],
  exports: [ExportParts, ExportRecords, ExportRuns, ExportTables, ScheduleRecords, ScheduleTimers],
})
export class ExportsRecordsModule {}
