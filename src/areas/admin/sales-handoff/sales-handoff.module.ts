import { Module } from '@nestjs/common';
import { HandoffCommands } from './handoff-commands.service.js';
import { SalesHandoffController } from './sales-handoff.controller.js';
import { SalesHandoffRecordsModule } from './sales-handoff-records.module.js';
import { SalesHandoffService } from './sales-handoff.service.js';

/** Handoffs of won deals from sales to delivery. */
@Module({
  imports: [SalesHandoffRecordsModule],
  controllers: [SalesHandoffController],
  providers: [HandoffCommands, SalesHandoffService],
})
export class SalesHandoffModule {}
