import { Module } from '@nestjs/common';
import { AgentPausesFlow } from './agent-pauses.flow.js';
import { AgentStatsReader } from './agent-stats.js';
import { AgentVersionsRepository } from './agent-versions.repository.js';
import { AgentsService } from './agents.service.js';

/** AI agents without routes, for the worker. */
@Module({
  providers: [AgentPausesFlow, AgentStatsReader, AgentVersionsRepository, AgentsService],
  exports: [AgentsService],
})
export class AgentsRecordsModule {}
