import { Module } from '@nestjs/common';
import { Credentials } from '#libs/auth/credentials.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';

/** Requests for approval without routes: what the worker, where they expire, needs of them too. */
@Module({ providers: [ApprovalsRepository, ApprovalsService, Credentials], exports: [ApprovalsService] })
export class ApprovalsModule {}
