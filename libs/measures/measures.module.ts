import { Global, Module } from '@nestjs/common';
import { Measurements } from './measurements.js';
import { MetricCatalogue } from './metric-catalogue.js';

/** The catalogue of metrics. Global, because every area declares its own. */
@Global()
@Module({ providers: [Measurements, MetricCatalogue], exports: [Measurements, MetricCatalogue] })
export class MeasuresModule {}
