import { Module } from '@nestjs/common';
import { declaresMetrics } from '#libs/measures/metric-catalogue.js';
import { OUTBOX_METRICS, outboxSource } from './outbox/outbox.metrics.js';

/** Metrics of deliveries, for the API and the worker. */
@Module({ providers: [declaresMetrics(OUTBOX_METRICS, outboxSource)] })
export class WebhooksMetricsModule {}
