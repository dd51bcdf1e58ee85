import { Module } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { InsightsRecordsModule } from './insights-records.module.js';
import { SnapshotRecorder } from './snapshots/snapshot-recorder.js';
import { SnapshotsUpkeep } from './snapshots/snapshots-upkeep.js';

/** The daily recording of metrics, in the worker. */
@Module({ imports: [InsightsRecordsModule, WorkerBaseModule], providers: [SnapshotRecorder, SnapshotsUpkeep] })
export class InsightsWorkerModule extends WorkerPart {
  constructor(snapshots: SnapshotsUpkeep) {
    super(snapshots);
  }
}
