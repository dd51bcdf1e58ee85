import { Module } from '@nestjs/common';
import { EventSchemaController } from './event-schema.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageRepository } from './usage/usage.repository.js';
import { UsageService } from './usage/usage.service.js';

/** What developers of integrations look up. */
@Module({ controllers: [EventSchemaController, UsageController], providers: [UsageRepository, UsageService] })
export class DeveloperModule {}
