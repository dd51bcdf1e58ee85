import { Module } from '@nestjs/common';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { StatusMeasuring } from './status/status-measuring.js';

/** Figures of the public status, in the worker. */
@Module({ providers: [StatusMeasuring] })
export class PublicWorkerModule extends WorkerPart {
  constructor(measuring: StatusMeasuring) {
    super(measuring);
  }
}
