import { Module } from '@nestjs/common';
import { GuarantorsModule } from '#libs/auth/guarantors.module.js';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { ImportFiles } from './imports/import-files.js';
import { ImportInputs } from './imports/import-inputs.js';
import { ImportNotices } from './imports/import-notices.js';
import { ImportRecords } from './imports/import-records.js';
import { ImportRollback } from './imports/import-rollback.js';
import { ImportRows } from './imports/import-rows.js';
import { ImportRuns } from './imports/import-runs.js';
import { ImportWriter } from './imports/import-writer.js';

/** Imports without routes, for the worker, which carries them out. */
@Module({
  imports: [GuarantorsModule, NotificationsModule],
  providers: [
    ImportFiles,
    ImportInputs,
    ImportNotices,
    ImportRecords,
    ImportRollback,
    ImportRows,
    ImportRuns,
    ImportWriter,
  ],
  exports: [ImportFiles, ImportRecords, ImportRows, ImportRuns],
})
export class IntegrationsRecordsModule {}
