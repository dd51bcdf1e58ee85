import { Module } from '@nestjs/common';
import { CalendarsRecordsModule } from '#src/areas/settings/calendars/calendars-records.module.js';
import { SalesRecordsModule } from '#src/areas/sales/sales-records.module.js';
import { WorkRecordsModule } from '../work-records.module.js';
import { DeliveryControlBulkService } from './delivery-bulk.service.js';
import { DeliveryControlController } from './delivery-control.controller.js';
import { DeliveryControlService } from './delivery-control.service.js';
import { DeliveryRecorder } from './delivery-recorder.js';
import { DeliveryRepository } from './delivery.repository.js';

/** Control of customer projects across the tenant. */
@Module({
  imports: [CalendarsRecordsModule, SalesRecordsModule, WorkRecordsModule],
  controllers: [DeliveryControlController],
  providers: [DeliveryControlBulkService, DeliveryControlService, DeliveryRecorder, DeliveryRepository],
})
export class DeliveryControlModule {}
