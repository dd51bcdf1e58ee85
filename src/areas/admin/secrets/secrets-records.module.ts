import { Module } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { SecretEvents } from './secret.events.js';
import { SecretRecords } from './secret-records.js';
import { Secrets } from './secret-values.service.js';
import { SecretsRepository } from './secrets.repository.js';
import { SecretsService } from './secrets.service.js';

/** Secrets without routes: what uses them, and the worker, where they expire, need no more. */
@Module({
  providers: [AuditTrail, SecretEvents, SecretRecords, Secrets, SecretsRepository, SecretsService],
  exports: [Secrets, SecretsService],
})
export class SecretsRecordsModule {}
