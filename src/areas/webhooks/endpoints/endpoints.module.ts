import { Module } from '@nestjs/common';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { OutboundModule } from '#libs/outbound/outbound.module.js';
import { EndpointHealth } from '#libs/webhooks/lanes/endpoint-health.js';
import { EndpointSecrets } from '#libs/webhooks/lanes/endpoint-secrets.js';
import { EndpointAttemptsRepository } from '../endpoint-insight/endpoint-attempts.repository.js';
import { EndpointHealthService } from '../endpoint-insight/endpoint-health.service.js';
import { EndpointInputs } from './endpoint-inputs.js';
import { EndpointLetters } from './endpoint-letters.js';
import { EndpointRecords } from './endpoint-records.js';
import { EndpointsRepository } from './endpoints.repository.js';
import { EndpointsService } from './endpoints.service.js';

/** Webhook endpoints without routes, also for the worker. */
@Module({
  imports: [NotificationsModule, OutboundModule],
  providers: [
    EndpointAttemptsRepository,
    EndpointInputs,
    EndpointLetters,
    EndpointRecords,
    EndpointSecrets,
    EndpointsRepository,
    EndpointsService,
    { provide: EndpointHealth, useClass: EndpointHealthService },
  ],
  exports: [
    EndpointAttemptsRepository,
    EndpointHealth,
    EndpointRecords,
    EndpointSecrets,
    EndpointsService,
    OutboundModule,
  ],
})
export class EndpointsModule {}
