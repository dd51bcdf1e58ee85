import { Module } from '@nestjs/common';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { ApprovalsRecordsModule } from './approvals/approvals-records.module.js';

/** Pending tasks of a person: requests for approval. */
@Module({ imports: [ApprovalsRecordsModule], controllers: [ApprovalsController] })
export class HomeModule {}
