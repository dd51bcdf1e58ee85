import { Module } from '@nestjs/common';
import { PerformanceModule } from './performance/performance.module.js';
import { SlaReportModule } from './sla-report/sla-report.module.js';
import { SloModule } from './slo/slo.module.js';

/** Objectives, measured performance and reports of service levels. */
@Module({
  imports: [PerformanceModule, SlaReportModule, SloModule],
})
export class ServiceLevelsModule {}
