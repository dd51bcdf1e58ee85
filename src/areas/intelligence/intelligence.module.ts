import { Module } from '@nestjs/common';
import { AgentVersionsRepository } from './agents/agent-versions.repository.js';
import { AgentsController } from './agents/agents.controller.js';
import { AgentsRepository } from './agents/agents.repository.js';
import { AgentsService } from './agents/agents.service.js';

/** AI agents. */
@Module({
  controllers: [AgentsController],
  providers: [AgentVersionsRepository, AgentsRepository, AgentsService],
  exports: [AgentsService],
})
export class IntelligenceModule {}
