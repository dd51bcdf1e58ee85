import { Module } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { AutomationWorker } from './automation-worker.js';
import { RunRetentionUpkeep } from './run-retention-upkeep.js';
import { Runner } from './runner.js';
import { Runs } from './runs.js';

/** Runs flows and timers in the worker. */
@Module({
  imports: [WorkerBaseModule],
  providers: [AutomationWorker, Runner, RunRetentionUpkeep, Runs],
})
export class AutomationWorkerModule extends WorkerPart {
  constructor(worker: AutomationWorker, retention: RunRetentionUpkeep) {
    super(worker, retention);
  }
}
