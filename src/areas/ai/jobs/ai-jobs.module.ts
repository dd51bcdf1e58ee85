import { Module } from '@nestjs/common';
import { AgentsRecordsModule } from '../agents/agents-records.module.js';
import { AiMoneyModule } from '../budgets/budgets-records.module.js';
import { BudgetsModule } from '../budgets/budgets.module.js';
import { AiModelsRecordsModule } from '../models/models-records.module.js';
import { AiPolicyRecordsModule } from '../policy/ai-policy-records.module.js';
import { AiPromptsRecordsModule } from '../prompts/ai-prompts-records.module.js';
import { AiApprovalsController } from './ai-approvals.controller.js';
import { BudgetsInScope } from '../admission/budgets-in-scope.js';
import { EstimateController } from '../admission/estimate.controller.js';
import { EstimatesService } from '../admission/estimates.service.js';
import { IntelligenceJobsController } from './intelligence-jobs.controller.js';
import { JobAdmissionService } from '../admission/job-admission.service.js';
import { JobMaterials } from '../admission/job-materials.service.js';
import { JobPlans } from '../admission/job-plans.service.js';
import { JobQuotes } from '../admission/job-quotes.service.js';
import { JobReviewsService } from './job-reviews.service.js';
import { AiJobsRecordsModule } from './ai-jobs-records.module.js';
import { AiJobsController } from './ai-jobs.controller.js';

/** Requesting, deciding about and reading AI jobs. */
@Module({
  imports: [
    AiJobsRecordsModule,
    AiModelsRecordsModule,
    AiMoneyModule,
    AiPolicyRecordsModule,
    AiPromptsRecordsModule,
    BudgetsModule,
    AgentsRecordsModule,
  ],
  controllers: [AiApprovalsController, EstimateController, IntelligenceJobsController, AiJobsController],
  providers: [
    BudgetsInScope,
    EstimatesService,
    JobAdmissionService,
    JobMaterials,
    JobPlans,
    JobQuotes,
    JobReviewsService,
  ],
})
export class AiJobsModule {}
