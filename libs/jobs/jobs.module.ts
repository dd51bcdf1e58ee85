import { Global, Module } from '@nestjs/common';
import { Authorities } from '#libs/auth/authority.js';
import { Credentials } from '#libs/auth/credentials.js';
import { Guarantors } from '#libs/auth/guarantors.js';
import { Jobs } from './jobs.js';

/** Asynchronous jobs, for the API, which starts and shows them, and for the worker. */
@Global()
@Module({ providers: [Authorities, Credentials, Guarantors, Jobs], exports: [Jobs] })
export class JobsModule {}
