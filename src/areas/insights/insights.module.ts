import { Module } from '@nestjs/common';
import { MetricsController } from './metrics/metrics.controller.js';
import { MetricsService } from './metrics/metrics.service.js';

/** Measured figures of the business. */
@Module({ controllers: [MetricsController], providers: [MetricsService] })
export class InsightsModule {}
