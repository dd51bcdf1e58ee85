import { Module } from '@nestjs/common';
import { SloAlerts } from './slo-alerts.js';
import { SloCounters } from './slo-counters.js';
import { SloEvents } from './slo-events.js';
import { SloFigures } from './slo-figures.js';
import { SloHealthService } from './slo-health.service.js';
import { SloRepository } from './slo.repository.js';

const PARTS = [SloAlerts, SloCounters, SloEvents, SloFigures, SloHealthService, SloRepository];

/** Service-level objectives without routes, for other areas and for the worker. */
@Module({ providers: PARTS, exports: PARTS })
export class SloRecordsModule {}
