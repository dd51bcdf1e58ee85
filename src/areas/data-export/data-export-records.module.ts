import { Module } from '@nestjs/common';
import { GuarantorsModule } from '#libs/auth/guarantors.module.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { ProofModule } from '#libs/proof/proof.module.js';
import { ExportsRecordsModule } from '#src/areas/exports/exports-records.module.js';
import { ArchiveContents } from './archive/archive-contents.js';
import { ArchiveParts } from './archive/archive-parts.js';
import { ArchiveRights } from './archive/archive-rights.js';
import { ArchiveRows } from './archive/archive-rows.js';
import { ArchiveRuns } from './archive/archive-runs.js';
import { ArchiveSelection } from './archive/archive-selection.js';
import { ArchiveWriter } from './archive/archive-writer.js';
import { ExportGate } from './requests/export-gate.js';
import { ExportRequestNotices } from './requests/export-request-notices.js';
import { ExportRequestRecords } from './requests/export-request-records.js';
import { SubjectFinder } from './subjects/subject-finder.js';

/** Exports of data without routes, for the worker, which makes them. */
@Module({
  imports: [ExportsRecordsModule, GuarantorsModule, NotificationsModule, ProofModule],
  providers: [
    ArchiveContents,
    ArchiveParts,
    ArchiveRights,
    ArchiveRows,
    ArchiveRuns,
    ArchiveSelection,
    ArchiveWriter,
    ExportGate,
    ExportRequestNotices,
    ExportRequestRecords,
    PermissionHolders,
    SubjectFinder,
  ],
  exports: [ArchiveContents, ArchiveRuns, ExportGate, ExportRequestNotices, ExportRequestRecords, SubjectFinder],
})
export class DataExportRecordsModule {}
