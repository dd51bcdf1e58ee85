import { Module } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { Secrets } from './secret-values.service.js';
import { SecretsService } from './secrets.service.js';

/** Secrets without routes, for other areas and for the worker, which handles their expiry. */
@Module({ providers: [AuditTrail, Secrets, SecretsService], exports: [Secrets, SecretsService] })
export class SecretsRecordsModule {}
