import { Module } from '@nestjs/common';
import { InsightRecordsModule } from '#src/areas/ai/insight/insight-records.module.js';
import { EventSchemaController } from './event-schema.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageRepository } from './usage/usage.repository.js';
import { UsageService } from './usage/usage.service.js';

/** What developers of integrations look up. */
@Module({
  imports: [InsightRecordsModule],
  controllers: [EventSchemaController, UsageController],
  providers: [UsageRepository, UsageService],
})
export class DeveloperModule {}
