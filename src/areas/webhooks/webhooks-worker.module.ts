import { Module } from '@nestjs/common';
import { DeliveryModule } from '#libs/webhooks/delivery.module.js';
import { RetentionUpkeep } from '#libs/webhooks/retention-upkeep.js';
import { WebhookWorker } from '#libs/webhooks/webhook-worker.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';
import { RecoveryJobsModule } from './recoveries/recovery-jobs.module.js';

/** Webhooks, in the worker. */
@Module({ imports: [DeliveryModule.to(EndpointsModule), RecoveryJobsModule] })
export class WebhooksWorkerModule extends WorkerPart {
  constructor(worker: WebhookWorker, retention: RetentionUpkeep) {
    super(worker, retention);
  }
}
