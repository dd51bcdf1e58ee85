import { Module } from '@nestjs/common';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { ApprovalsModule } from './approvals/approvals.module.js';

/** What a person has to do. */
@Module({ imports: [ApprovalsModule], controllers: [ApprovalsController] })
export class HomeModule {}
