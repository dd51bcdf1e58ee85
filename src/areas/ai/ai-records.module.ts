import { Module } from '@nestjs/common';
import { declaresMetrics } from '#libs/measures/metric-catalogue.js';
import { AI_METRICS, budgetSource, jobSource } from './ai.metrics.js';
import { AgentsRecordsModule } from './agents/agents-records.module.js';
import { AiMoneyModule } from './budgets/budgets-records.module.js';
import { AiJobsRecordsModule } from './jobs/ai-jobs-records.module.js';
import { AiModelsRecordsModule } from './models/models-records.module.js';
import { AiPolicyRecordsModule } from './policy/ai-policy-records.module.js';

/** AI work without routes, and its metrics. */
@Module({
  imports: [AgentsRecordsModule, AiJobsRecordsModule, AiModelsRecordsModule, AiMoneyModule, AiPolicyRecordsModule],
  providers: [declaresMetrics(AI_METRICS, budgetSource, jobSource)],
  exports: [AgentsRecordsModule, AiJobsRecordsModule, AiModelsRecordsModule, AiMoneyModule, AiPolicyRecordsModule],
})
export class AiRecordsModule {}
