import { Module } from '@nestjs/common';
import { TimeInStateController } from './time-in-state/time-in-state.controller.js';
import { TimeInStateRepository } from './time-in-state/time-in-state.repository.js';
import { TimeInStateService } from './time-in-state/time-in-state.service.js';

/** Analysis of state changes of records. */
@Module({ controllers: [TimeInStateController], providers: [TimeInStateRepository, TimeInStateService] })
export class ProcessIntelligenceModule {}
