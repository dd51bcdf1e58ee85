import { Module } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { SlaClosing } from '../sla-report/sla-closing.js';
import { SlaRecordsModule } from '../sla-report/sla-records.module.js';
import { SloRecordsModule } from './slo-records.module.js';
import { SloUpkeep } from './slo-upkeep.js';

/** Alerts of service-level objectives and reports of closed months, in the worker. */
@Module({
  imports: [SlaRecordsModule, SloRecordsModule, WorkerBaseModule],
  providers: [SlaClosing, SloUpkeep],
})
export class SloWorkerModule extends WorkerPart {
  constructor(upkeep: SloUpkeep, closing: SlaClosing) {
    super(upkeep, closing);
  }
}
