import { Module } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { JobQueue } from './job-queue.js';
import { JobRunner } from './job-runner.js';
import { JobWorker } from './job-worker.js';

/** Carries out jobs in the worker. */
@Module({ imports: [WorkerBaseModule], providers: [JobQueue, JobRunner, JobWorker] })
export class JobsWorkerModule extends WorkerPart {
  constructor(worker: JobWorker) {
    super(worker);
  }
}
