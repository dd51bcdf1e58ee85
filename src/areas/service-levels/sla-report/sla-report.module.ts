import { Module } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { SlaRecordsModule } from './sla-records.module.js';
import { SlaReportController } from './sla-report.controller.js';
import { SlaReportService } from './sla-report.service.js';

/** The route of the service-level report. */
@Module({ imports: [SlaRecordsModule], controllers: [SlaReportController], providers: [AuditTrail, SlaReportService] })
export class SlaReportModule {}
