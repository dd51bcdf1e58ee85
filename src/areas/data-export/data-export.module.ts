import { Module } from '@nestjs/common';
import { DataExportRecordsModule } from './data-export-records.module.js';
import { AdminExportsController } from './requests/admin-exports.controller.js';
import { ExportApprovalsService } from './requests/export-approvals.service.js';
import { ExportRequestsController } from './requests/export-requests.controller.js';
import { ExportRequestsService } from './requests/export-requests.service.js';
import { OpenedArchives } from './requests/opened-archives.js';
import { SubjectSearchController } from './subjects/subject-search.controller.js';
import { SubjectSearchService } from './subjects/subject-search.service.js';

/** Exports of data: requests, decisions about them, links to their archives. */
@Module({
  imports: [DataExportRecordsModule],
  controllers: [AdminExportsController, ExportRequestsController, SubjectSearchController],
  providers: [ExportApprovalsService, ExportRequestsService, OpenedArchives, SubjectSearchService],
})
export class DataExportModule {}
