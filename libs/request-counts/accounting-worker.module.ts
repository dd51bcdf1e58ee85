import { Module } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { AccountingUpkeep } from './accounting-upkeep.js';
import { RequestRollup } from './request-rollup.js';

/** Request statistics in the worker. */
@Module({
  imports: [WorkerBaseModule],
  providers: [AccountingUpkeep, RequestRollup],
})
export class AccountingWorkerModule extends WorkerPart {
  constructor(upkeep: AccountingUpkeep) {
    super(upkeep);
  }
}
