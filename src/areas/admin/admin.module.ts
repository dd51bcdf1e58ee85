import { Module } from '@nestjs/common';
import { AuditLogsController } from './audit-logs/audit-logs.controller.js';
import { AuditLogsRepository } from './audit-logs/audit-logs.repository.js';
import { AuditLogsService } from './audit-logs/audit-logs.service.js';
import { SettingsController } from './settings/settings.controller.js';
import { SettingsEvents } from './settings/settings.events.js';
import { SettingsRepository } from './settings/settings.repository.js';
import { SettingsService } from './settings/settings.service.js';

/** Administration of a tenant. */
@Module({
  controllers: [AuditLogsController, SettingsController],
  providers: [AuditLogsRepository, AuditLogsService, SettingsEvents, SettingsRepository, SettingsService],
})
export class AdminModule {}
