import { Module } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { ImportUpkeep } from './imports/import-upkeep.js';
import { IntegrationsRecordsModule } from './integrations-records.module.js';

/** Imports, in the worker. */
@Module({ imports: [IntegrationsRecordsModule, WorkerBaseModule], providers: [ImportUpkeep] })
export class IntegrationsWorkerModule extends WorkerPart {
  constructor(upkeep: ImportUpkeep) {
    super(upkeep);
  }
}
