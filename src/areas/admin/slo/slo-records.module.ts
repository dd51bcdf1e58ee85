import { Module } from '@nestjs/common';
import { SloCounters } from './slo-counters.js';
import { SloEvents } from './slo-events.js';
import { SloFigures } from './slo-figures.js';
import { SloRepository } from './slo.repository.js';

const PARTS = [SloCounters, SloEvents, SloFigures, SloRepository];

/** Service-level objectives without routes, for other areas and for the worker, which raises their alerts. */
@Module({ providers: PARTS, exports: PARTS })
export class SloRecordsModule {}
