import { Module } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { Secrets } from './secret-values.service.js';
import { SecretsService } from './secrets.service.js';

/** Secrets without routes: what uses them, and the worker, where they expire, need no more. */
@Module({ providers: [AuditTrail, Secrets, SecretsService], exports: [Secrets, SecretsService] })
export class SecretsRecordsModule {}
