import { Module } from '@nestjs/common';
import { AnomaliesController } from './anomalies/anomalies.controller.js';
import { AnomaliesService } from './anomalies/anomalies.service.js';
import { HistoryController } from './history/history.controller.js';
import { HistoryService } from './history/history.service.js';
import { InsightsRecordsModule } from './insights-records.module.js';
import { InsightsSample } from './insights.sample.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { MetricsService } from './metrics/metrics.service.js';
import { WholeMetrics } from './metrics/whole-metrics.js';
import { QueryController } from './query/query.controller.js';
import { QueryService } from './query/query.service.js';
import { RecordedMetrics } from './snapshots/recorded-metrics.js';

/** Metrics over time: history, anomalies and forecasts. */
@Module({
  imports: [InsightsRecordsModule],
  controllers: [AnomaliesController, HistoryController, MetricsController, QueryController],
  providers: [
    AnomaliesService,
    HistoryService,
    InsightsSample,
    MetricsService,
    QueryService,
    RecordedMetrics,
    WholeMetrics,
  ],
})
export class InsightsModule {}
