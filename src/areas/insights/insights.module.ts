import { Module } from '@nestjs/common';
import { PostureRecordsModule } from '#src/areas/assurance/security/posture/posture-records.module.js';
import { AnomaliesController } from './anomalies/anomalies.controller.js';
import { AnomaliesService } from './anomalies/anomalies.service.js';
import { HistoryController } from './history/history.controller.js';
import { HistoryService } from './history/history.service.js';
import { InsightsRecordsModule } from './insights-records.module.js';
import { InsightsSample } from './insights.sample.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { MetricsService } from './metrics/metrics.service.js';
import { WholeMetrics } from './metrics/whole-metrics.js';
import { OverviewModule } from './overview/overview.module.js';
import { QueryController } from './query/query.controller.js';
import { QueryService } from './query/query.service.js';
import { ScorecardsController } from './scorecards/scorecards.controller.js';
import { MetricScorecardsService } from './scorecards/scorecards.service.js';
import { ServiceCards } from './scorecards/service-cards.js';
import { ServiceFiguresRepository } from './scorecards/service-figures.repository.js';
import { RecordedMetrics } from './snapshots/recorded-metrics.js';

/** Metrics over time, scorecards and the overview of a tenant. */
@Module({
  imports: [InsightsRecordsModule, OverviewModule, PostureRecordsModule],
  controllers: [AnomaliesController, HistoryController, MetricsController, QueryController, ScorecardsController],
  providers: [
    AnomaliesService,
    HistoryService,
    InsightsSample,
    MetricsService,
    QueryService,
    RecordedMetrics,
    MetricScorecardsService,
    ServiceCards,
    ServiceFiguresRepository,
    WholeMetrics,
  ],
})
export class InsightsModule {}
