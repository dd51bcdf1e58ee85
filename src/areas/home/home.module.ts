import { Module } from '@nestjs/common';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { ApprovalsRecordsModule } from './approvals/approvals-records.module.js';

/** What a person has to do. */
@Module({ imports: [ApprovalsRecordsModule], controllers: [ApprovalsController] })
export class HomeModule {}
