import { Module } from '@nestjs/common';
import { OutboundModule } from '#libs/outbound/outbound.module.js';
import { EndpointHealth } from '#libs/webhooks/endpoint-health.js';
import { EndpointSecrets } from '#libs/webhooks/endpoint-secrets.js';
import { EndpointHealthService } from './endpoint-health.service.js';
import { EndpointInputs } from './endpoint-inputs.js';
import { EndpointRecords } from './endpoint-records.js';
import { EndpointEvents } from './endpoint.events.js';
import { EndpointsRepository } from './endpoints.repository.js';
import { EndpointsService } from './endpoints.service.js';

/** Webhook endpoints without routes: what the worker needs of them too. */
@Module({
  imports: [OutboundModule],
  providers: [
    EndpointEvents,
    EndpointInputs,
    EndpointRecords,
    EndpointSecrets,
    EndpointsRepository,
    EndpointsService,
    { provide: EndpointHealth, useClass: EndpointHealthService },
  ],
  exports: [EndpointHealth, EndpointRecords, EndpointSecrets, EndpointsService, OutboundModule],
})
export class EndpointsModule {}
