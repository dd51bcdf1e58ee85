import { Module } from '@nestjs/common';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { ReportQueryController } from './query/query.controller.js';
import { ReportsRecordsModule } from './reports-records.module.js';
import { reportsSample } from './reports.sample.js';
import { ReportRunsController } from './runs/runs.controller.js';
import { ReportRunsService } from './runs/runs.service.js';
import { ReportsController } from './stored/reports.controller.js';
import { ReportsService } from './stored/reports.service.js';

/** Aggregated tables over records: on request, stored and scheduled. */
@Module({
  imports: [ReportsRecordsModule],
  controllers: [ReportQueryController, ReportsController, ReportRunsController],
  providers: [contributesSample('reports', reportsSample), ReportRunsService, ReportsService],
})
export class ReportsModule {}
