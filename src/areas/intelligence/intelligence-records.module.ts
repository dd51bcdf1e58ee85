import { Module } from '@nestjs/common';
import { AgentPausesFlow } from './agents/agent-pauses.flow.js';
import { AgentVersionsRepository } from './agents/agent-versions.repository.js';
import { AgentsRepository } from './agents/agents.repository.js';
import { AgentsService } from './agents/agents.service.js';

/** AI agents without routes: what the worker needs of them. */
@Module({
  providers: [AgentPausesFlow, AgentVersionsRepository, AgentsRepository, AgentsService],
  exports: [AgentsService],
})
export class IntelligenceRecordsModule {}
