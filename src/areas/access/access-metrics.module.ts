import { Module } from '@nestjs/common';
import { declaresMetrics } from '#libs/measures/metric-catalogue.js';
import { MEMBERSHIP_METRICS, membershipSource } from './memberships/membership.metrics.js';

/** Metrics of members, for the API and the worker. */
@Module({ providers: [declaresMetrics(MEMBERSHIP_METRICS, membershipSource)] })
export class AccessMetricsModule {}
