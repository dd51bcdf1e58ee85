import { Module } from '@nestjs/common';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { ContentsUpkeep } from './contents-upkeep.js';

/** Worker module for contents of files. */
@Module({ providers: [ContentsUpkeep] })
export class FilesWorkerModule extends WorkerPart {
  constructor(upkeep: ContentsUpkeep) {
    super(upkeep);
  }
}
