import { Module } from '@nestjs/common';
import { Authorities } from '#libs/auth/authority.js';
import { Credentials } from '#libs/auth/credentials.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';
import { StandIns } from './stand-ins.js';

/** Requests for approval without routes, as also needed by the worker, which expires them. */
@Module({
  providers: [ApprovalsRepository, ApprovalsService, Authorities, Credentials, StandIns],
  exports: [ApprovalsService],
})
export class ApprovalsRecordsModule {}
