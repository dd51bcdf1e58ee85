import { Module } from '@nestjs/common';
import { RecoveriesRepository } from './recoveries.repository.js';
import { RecoveryJobs } from './recovery-jobs.js';

/** Recoveries without routes, also for the worker. */
@Module({ providers: [RecoveriesRepository, RecoveryJobs], exports: [RecoveriesRepository] })
export class RecoveryJobsModule {}
