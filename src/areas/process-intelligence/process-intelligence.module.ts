import { Module } from '@nestjs/common';
import { ProcessesController } from './processes/processes.controller.js';
import { ProcessesRepository } from './processes/processes.repository.js';
import { ProcessesService } from './processes/processes.service.js';
import { TimeInStateController } from './time-in-state/time-in-state.controller.js';
import { TimeInStateRepository } from './time-in-state/time-in-state.repository.js';
import { TimeInStateService } from './time-in-state/time-in-state.service.js';

/** Analysis of state changes of records. */
@Module({
  controllers: [ProcessesController, TimeInStateController],
  providers: [ProcessesRepository, ProcessesService, TimeInStateRepository, TimeInStateService],
})
export class ProcessIntelligenceModule {}
