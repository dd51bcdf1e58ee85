import { Module } from '@nestjs/common';
import { AiRecordsModule } from './ai-records.module.js';
import { AgentsModule } from './agents/agents.module.js';
import { BudgetsModule } from './budgets/budgets.module.js';
import { AiFeedbackModule } from './feedback/ai-feedback.module.js';
import { InsightModule } from './insight/insight.module.js';
import { AiJobsModule } from './jobs/ai-jobs.module.js';
import { ModelsModule } from './models/models.module.js';
import { AiPolicyModule } from './policy/ai-policy.module.js';
import { AiPromptsModule } from './prompts/ai-prompts.module.js';

/** Governed AI work: agents, jobs, policy, budgets, models and prompts. */
@Module({
  imports: [
    AgentsModule,
    AiFeedbackModule,
    AiPolicyModule,
    AiPromptsModule,
    AiRecordsModule,
    BudgetsModule,
    InsightModule,
    AiJobsModule,
    ModelsModule,
  ],
})
export class AiModule {}
