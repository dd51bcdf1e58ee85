import { Module } from '@nestjs/common';
import { Authorities } from '#libs/auth/authority.js';
import { Credentials } from '#libs/auth/credentials.js';
import { ApprovalsRecordsModule } from '#src/areas/home/approvals/approvals-records.module.js';
import { AgentsRecordsModule } from '../agents/agents-records.module.js';
import { AiMoneyModule } from '../budgets/budgets-records.module.js';
import { AiFeedbackRecordsModule } from '../feedback/ai-feedback-records.module.js';
import { JobContexts } from './job-contexts.js';
import { JobDecisions } from '../admission/job-decisions.service.js';
import { AiJobsRepository } from './ai-jobs.repository.js';
import { AiJobsService } from './ai-jobs.service.js';
import { ProposedActions } from '../tools/proposed-actions.js';
import { Requesters } from '../tools/requesters.js';
import { Targets } from '../tools/targets.js';
import { ToolCalls } from '../tools/tool-calls.js';

const SERVICES = [
  JobContexts,
  JobDecisions,
  AiJobsRepository,
  AiJobsService,
  ProposedActions,
  Requesters,
  Targets,
  ToolCalls,
];

/** AI jobs without routes, for the worker. */
@Module({
  imports: [AiFeedbackRecordsModule, AiMoneyModule, ApprovalsRecordsModule, AgentsRecordsModule],
  providers: [Authorities, Credentials, ...SERVICES],
  exports: SERVICES,
})
export class AiJobsRecordsModule {}
