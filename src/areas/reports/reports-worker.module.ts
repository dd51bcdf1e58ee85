import { Module } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { ReportsRecordsModule } from './reports-records.module.js';
import { ReportRunUpkeep } from './runs/report-run-upkeep.js';

/** Reports, in the worker. */
@Module({ imports: [ReportsRecordsModule, WorkerBaseModule], providers: [ReportRunUpkeep] })
export class ReportsWorkerModule extends WorkerPart {
  constructor(upkeep: ReportRunUpkeep) {
    super(upkeep);
  }
}
