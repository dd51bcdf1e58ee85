import { Module } from '@nestjs/common';
import { AiMoneyModule } from '../budgets/budgets-records.module.js';
import { AiModelsRecordsModule } from '../models/models-records.module.js';
import { AiPolicyRecordsModule } from '../policy/ai-policy-records.module.js';
import { InsightRepository } from './insight.repository.js';
import { AiOverviewService } from './overview.service.js';
import { AiUsageService } from './usage.service.js';

/** Overview and usage of AI jobs, without routes. */
@Module({
  imports: [AiModelsRecordsModule, AiMoneyModule, AiPolicyRecordsModule],
  providers: [AiOverviewService, AiUsageService, InsightRepository],
  exports: [AiOverviewService, AiUsageService],
})
export class InsightRecordsModule {}
