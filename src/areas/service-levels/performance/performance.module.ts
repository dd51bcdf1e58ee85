import { Module } from '@nestjs/common';
import { PerformanceFigures } from '#libs/request-counts/performance-figures.js';
import { ProcessFigures } from '#libs/metrics/process-figures.js';
import { SlaRecordsModule } from '../sla-report/sla-records.module.js';
import { DatabaseStatistics } from './database-statistics.js';
import { PerformanceController } from './performance.controller.js';
import { PerformanceService } from './performance.service.js';
import { QueueStatistics } from './queue-statistics.js';

/** Measured performance. */
@Module({
  imports: [SlaRecordsModule],
  controllers: [PerformanceController],
  providers: [DatabaseStatistics, PerformanceFigures, PerformanceService, ProcessFigures, QueueStatistics],
})
export class PerformanceModule {}
