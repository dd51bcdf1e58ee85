import { Module } from '@nestjs/common';
import { AgentsController } from './agents.controller.js';
import { AgentsRecordsModule } from './agents-records.module.js';

/** AI agents. */
@Module({ imports: [AgentsRecordsModule], controllers: [AgentsController] })
export class AgentsModule {}
