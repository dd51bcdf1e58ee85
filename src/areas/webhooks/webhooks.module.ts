import { Module } from '@nestjs/common';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { EndpointTestsService } from './endpoints/endpoint-tests.service.js';
import { EndpointsController } from './endpoints/endpoints.controller.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';

/** Webhook endpoints and the deliveries to them. */
@Module({
  imports: [EndpointsModule],
  controllers: [EndpointsController, DeliveriesController],
  providers: [DeliveriesRepository, DeliveriesService, EndpointTestsService],
})
export class WebhooksModule {}
