import { Module } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { ExportsRecordsModule } from './exports-records.module.js';
import { ExportUpkeep } from './jobs/export-upkeep.js';

/** Exports, in the worker. */
@Module({ imports: [ExportsRecordsModule, WorkerBaseModule], providers: [ExportUpkeep] })
export class ExportsWorkerModule extends WorkerPart {
  constructor(upkeep: ExportUpkeep) {
    super(upkeep);
  }
}
