import { Module } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { OutboundModule } from '#libs/outbound/outbound.module.js';
import { SecretsRecordsModule } from '#src/areas/vault/secrets/secrets-records.module.js';
import { AuditStreamInputs } from './audit-stream-inputs.js';
import { AuditStreamsRepository } from './audit-streams.repository.js';
import { AuditStreamsService } from './audit-streams.service.js';
import { Destinations } from './destinations/destinations.service.js';

/** Streams of the audit log without routes, also for the worker. */
@Module({
  imports: [OutboundModule, SecretsRecordsModule],
  providers: [AuditStreamInputs, AuditStreamsRepository, AuditStreamsService, AuditTrail, Destinations],
  exports: [AuditStreamsRepository, AuditStreamsService, AuditTrail, Destinations],
})
export class AuditStreamsRecordsModule {}
