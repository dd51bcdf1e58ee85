import { Module } from '@nestjs/common';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { PostureRecordsModule } from './posture-records.module.js';
import { PostureUpkeep } from './posture-upkeep.js';

/** Daily security checks, in the worker. */
@Module({ imports: [PostureRecordsModule, WorkerBaseModule], providers: [PostureUpkeep] })
export class PostureWorkerModule extends WorkerPart {
  constructor(upkeep: PostureUpkeep) {
    super(upkeep);
  }
}
