import { Module } from '@nestjs/common';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { HandoffCommands } from './handoff-commands.service.js';
import { handoffsSample } from './handoffs.sample.js';
import { SalesHandoffController } from './sales-handoff.controller.js';
import { SalesHandoffRecordsModule } from './sales-handoff-records.module.js';
import { SalesHandoffService } from './sales-handoff.service.js';

/** Handoffs of won deals from sales to delivery. */
@Module({
  imports: [SalesHandoffRecordsModule],
  controllers: [SalesHandoffController],
  providers: [contributesSample('sales-handoff', handoffsSample), HandoffCommands, SalesHandoffService],
})
export class SalesHandoffModule {}
