import { Module } from '@nestjs/common';
import { declaresMetrics } from '#libs/kpi/metric-catalogue.js';
import { MEMBERSHIP_METRICS, membershipSource } from './memberships/membership.metrics.js';
import { OUTBOX_METRICS, outboxSource } from './outbox/outbox.metrics.js';

/** Metrics of members and deliveries, for the API and the worker. */
@Module({
  providers: [declaresMetrics(MEMBERSHIP_METRICS, membershipSource), declaresMetrics(OUTBOX_METRICS, outboxSource)],
})
export class AdminMetricsModule {}
