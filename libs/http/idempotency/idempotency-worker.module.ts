import { Module } from '@nestjs/common';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { IdempotencyUpkeep } from './idempotency-upkeep.js';

/** Worker module for idempotency keys. */
@Module({ providers: [IdempotencyUpkeep] })
export class IdempotencyWorkerModule extends WorkerPart {
  constructor(upkeep: IdempotencyUpkeep) {
    super(upkeep);
  }
}
