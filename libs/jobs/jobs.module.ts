import { Global, Module } from '@nestjs/common';
import { Jobs } from './jobs.js';

/** Asynchronous jobs, for the API, which starts and shows them, and for the worker. */
@Global()
@Module({ providers: [Jobs], exports: [Jobs] })
export class JobsModule {}
