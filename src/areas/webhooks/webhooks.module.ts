import { Module } from '@nestjs/common';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { EndpointInsightController } from './endpoint-insight/endpoint-insight.controller.js';
import { EndpointInsightService } from './endpoint-insight/endpoint-insight.service.js';
import { EndpointRotationService } from './endpoints/endpoint-rotation.service.js';
import { EndpointStatsRepository } from './endpoint-insight/endpoint-stats.repository.js';
import { EndpointVerificationService } from './endpoint-tests/endpoint-verification.service.js';
import { EndpointsController } from './endpoints/endpoints.controller.js';
import { EventFeedController } from './events/event-feed.controller.js';
import { EventFeedRepository } from './events/event-feed.repository.js';
import { EventFeedService } from './events/event-feed.service.js';
import { OutboxCommandsService } from './outbox/outbox-commands.service.js';
import { OutboxController } from './outbox/outbox.controller.js';
import { OutboxReferences } from './outbox/outbox-references.js';
import { OutboxService } from './outbox/outbox.service.js';
import { OutboxSummaries } from './outbox/outbox-summaries.service.js';
import { RecoveriesController } from './recoveries/recoveries.controller.js';
import { RecoveriesService } from './recoveries/recoveries.service.js';
import { RecoveryJobsModule } from './recoveries/recovery-jobs.module.js';
import { WebhooksMetricsModule } from './webhooks-metrics.module.js';
import { WebhooksRecordsModule } from './webhooks-records.module.js';
import { FilterTestsService } from './endpoint-tests/filter-tests.service.js';

/** Webhook endpoints and the deliveries to them. */
@Module({
  imports: [RecoveryJobsModule, WebhooksMetricsModule, WebhooksRecordsModule],
  controllers: [
    EndpointsController,
    EndpointInsightController,
    DeliveriesController,
    EventFeedController,
    OutboxController,
    RecoveriesController,
  ],
  providers: [
    EventFeedRepository,
    EventFeedService,
    OutboxCommandsService,
    OutboxReferences,
    OutboxService,
    OutboxSummaries,
    RecoveriesService,
    EndpointInsightService,
    EndpointRotationService,
    EndpointStatsRepository,
    EndpointVerificationService,
    FilterTestsService,
  ],
})
export class WebhooksModule {}
