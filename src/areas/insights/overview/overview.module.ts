import { Module } from '@nestjs/common';
import { PerformanceFigures } from '#libs/request-counts/performance-figures.js';
import { InsightRecordsModule } from '#src/areas/ai/insight/insight-records.module.js';
import { OutboxSummaries } from '#src/areas/webhooks/outbox/outbox-summaries.service.js';
import { PostureRecordsModule } from '#src/areas/assurance/security/posture/posture-records.module.js';
import { SlaRecordsModule } from '#src/areas/service-levels/sla-report/sla-records.module.js';
import { SloRecordsModule } from '#src/areas/service-levels/slo/slo-records.module.js';
import { OverviewController } from './overview.controller.js';
import { OverviewRepository } from './overview.repository.js';
import { OverviewService } from './overview.service.js';
import { OverviewRecords } from './record-sections.js';

/** The overview of a tenant for its administrators. */
@Module({
  imports: [InsightRecordsModule, PostureRecordsModule, SlaRecordsModule, SloRecordsModule],
  controllers: [OverviewController],
  providers: [OutboxSummaries, OverviewRecords, OverviewRepository, OverviewService, PerformanceFigures],
})
export class OverviewModule {}
