import { Module } from '@nestjs/common';
import { AgentsController } from './agents/agents.controller.js';
import { IntelligenceRecordsModule } from './intelligence-records.module.js';

/** AI agents. */
@Module({ imports: [IntelligenceRecordsModule], controllers: [AgentsController] })
export class IntelligenceModule {}
