import { Module } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { DataExportRecordsModule } from './data-export-records.module.js';
import { ExportRequestUpkeep } from './requests/export-request-upkeep.js';

/** Exports of data, in the worker. */
@Module({ imports: [DataExportRecordsModule, WorkerBaseModule], providers: [ExportRequestUpkeep] })
export class DataExportWorkerModule extends WorkerPart {
  constructor(upkeep: ExportRequestUpkeep) {
    super(upkeep);
  }
}
