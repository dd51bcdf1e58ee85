import { Module } from '@nestjs/common';
import { CalendarsRecordsModule } from '#src/areas/settings/calendars/calendars-records.module.js';
import { WorkRecordsModule } from '#src/areas/work/work-records.module.js';
import { DeliveryBulkService } from './delivery-bulk.service.js';
import { DeliveryControlController } from './delivery-control.controller.js';
import { DeliveryControlService } from './delivery-control.service.js';
import { DeliveryRecorder } from './delivery-recorder.js';
import { DeliveryRepository } from './delivery.repository.js';

/** Control of customer projects across the tenant. */
@Module({
  imports: [CalendarsRecordsModule, WorkRecordsModule],
  controllers: [DeliveryControlController],
  providers: [DeliveryBulkService, DeliveryControlService, DeliveryRecorder, DeliveryRepository],
})
export class DeliveryControlModule {}
