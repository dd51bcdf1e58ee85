import { Module } from '@nestjs/common';
import { AnomalyEvents } from './anomalies/anomaly-events.js';
import { SnapshotsRepository } from './snapshots/snapshots.repository.js';

const PARTS = [AnomalyEvents, SnapshotsRepository];

/** Recorded metrics without routes. */
@Module({ providers: PARTS, exports: PARTS })
export class InsightsRecordsModule {}
