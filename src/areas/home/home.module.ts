import { Module } from '@nestjs/common';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { ApprovalsRecordsModule } from './approvals/approvals-records.module.js';
import { HomeController } from './start/home.controller.js';
import { HomeService } from './start/home.service.js';

/** What a person should know and do: key figures, requests for approval. */
@Module({
  imports: [ApprovalsRecordsModule],
  controllers: [ApprovalsController, HomeController],
  providers: [HomeService],
})
export class HomeModule {}
