import { Global, Module } from '@nestjs/common';
import { GuarantorsModule } from '#libs/auth/guarantors.module.js';
import { Jobs } from './jobs.js';

/** Asynchronous jobs, for the API, which starts and shows them, and for the worker. */
@Global()
@Module({ imports: [GuarantorsModule], providers: [Jobs], exports: [Jobs] })
export class JobsModule {}
