import { Module } from '@nestjs/common';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { DeliveryBulkService } from './deliveries/delivery-bulk.service.js';
import { DeliveryLogService } from './deliveries/delivery-log.service.js';
import { DeliveryMovesService } from './deliveries/delivery-moves.service.js';
import { EndpointProbe } from './endpoint-tests/endpoint-probe.js';
import { EndpointTestsService } from './endpoint-tests/endpoint-tests.service.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';

/** Deliveries and endpoints without routes, for other areas. */
@Module({
  imports: [EndpointsModule],
  providers: [
    DeliveriesRepository,
    DeliveriesService,
    DeliveryBulkService,
    DeliveryLogService,
    DeliveryMovesService,
    EndpointProbe,
    EndpointTestsService,
  ],
  exports: [
    DeliveriesService,
    DeliveryBulkService,
    DeliveryLogService,
    DeliveryMovesService,
    EndpointProbe,
    EndpointTestsService,
    EndpointsModule,
  ],
})
export class WebhooksRecordsModule {}
