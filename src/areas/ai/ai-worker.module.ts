import { Module } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { AiRecordsModule } from './ai-records.module.js';
import { LedgerUpkeep } from './budgets/ledger-upkeep.js';
import { SpendingUpkeep } from './budgets/spending-upkeep.js';
import { AiRetentionUpkeep } from './jobs/ai-retention-upkeep.js';
import { ActionMaker } from './runs/action-maker.js';
import { AgentPace } from './runs/agent-pace.js';
import { AiWorker } from './runs/ai-worker.js';
import { CallSettlement } from './runs/call-settlement.js';
import { CallsRepository } from './runs/calls.repository.js';
import { Conversation } from './runs/conversation.js';
import { HeldJobs } from './runs/held-jobs.js';
import { JobCloser } from './runs/job-closer.js';
import { JobConsumer } from './runs/job.consumer.js';
import { JobQueueRepository } from './runs/job-queue.repository.js';
import { JobRunner } from './runs/job-runner.js';
import { JobScheduler } from './runs/job.scheduler.js';
import { JobStarter } from './runs/job-starter.js';
import { JobSweeps } from './runs/job-sweeps.js';
import { ModelCaller } from './runs/model-caller.js';
import { OfferedTools } from './runs/offered-tools.js';
import { Toolbox } from './runs/toolbox.js';

const RUNS = [
  ActionMaker,
  AgentPace,
  AiWorker,
  CallSettlement,
  CallsRepository,
  Conversation,
  HeldJobs,
  JobCloser,
  JobConsumer,
  JobQueueRepository,
  JobRunner,
  JobScheduler,
  JobStarter,
  JobSweeps,
  ModelCaller,
  OfferedTools,
  Toolbox,
];

/** AI jobs, in the worker. */
@Module({
  imports: [AiRecordsModule, WorkerBaseModule],
  providers: [...RUNS, AiRetentionUpkeep, LedgerUpkeep, SpendingUpkeep],
})
export class AiWorkerModule extends WorkerPart {
  constructor(worker: AiWorker, retention: AiRetentionUpkeep, spending: SpendingUpkeep, ledger: LedgerUpkeep) {
    super(worker, retention, spending, ledger);
  }
}
