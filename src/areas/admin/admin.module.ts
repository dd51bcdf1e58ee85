import { Module } from '@nestjs/common';
import { AuditLogsController } from './audit-logs/audit-logs.controller.js';
import { AuditLogsRepository } from './audit-logs/audit-logs.repository.js';
import { AuditLogsService } from './audit-logs/audit-logs.service.js';

/** Administration of a tenant. */
@Module({ controllers: [AuditLogsController], providers: [AuditLogsRepository, AuditLogsService] })
export class AdminModule {}
