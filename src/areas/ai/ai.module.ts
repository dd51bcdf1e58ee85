import { Module } from '@nestjs/common';
import { declaresMetrics } from '#libs/kpi/metric-catalogue.js';
import { AI_METRICS, budgetSource, jobSource } from './ai.metrics.js';
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
    BudgetsModule,
    InsightModule,
    AiJobsModule,
    ModelsModule,
  ],
  providers: [declaresMetrics(AI_METRICS, budgetSource, jobSource)],
})
export class AiModule {}
