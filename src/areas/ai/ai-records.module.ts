import { Module } from '@nestjs/common';
import { AgentsRecordsModule } from './agents/agents-records.module.js';
import { AiMoneyModule } from './budgets/budgets-records.module.js';
import { AiJobsRecordsModule } from './jobs/ai-jobs-records.module.js';
import { AiModelsRecordsModule } from './models/models-records.module.js';
import { AiPolicyRecordsModule } from './policy/ai-policy-records.module.js';

/** AI work without routes, for the worker. */
@Module({
  imports: [AgentsRecordsModule, AiJobsRecordsModule, AiModelsRecordsModule, AiMoneyModule, AiPolicyRecordsModule],
  exports: [AgentsRecordsModule, AiJobsRecordsModule, AiModelsRecordsModule, AiMoneyModule, AiPolicyRecordsModule],
})
export class AiRecordsModule {}
