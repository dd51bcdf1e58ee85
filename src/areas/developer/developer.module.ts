import { Module } from '@nestjs/common';
import { KeyFigures } from '#libs/request-counts/key-figures.js';
import { InsightRecordsModule } from '#src/areas/ai/insight/insight-records.module.js';
import { EventSchemaController } from './event-schema.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageGroups } from './usage/usage-groups.js';
import { UsageRepository } from './usage/usage.repository.js';
import { UsageService } from './usage/usage.service.js';

/** Event schemas and API usage for developers of integrations. */
@Module({
  imports: [InsightRecordsModule],
  controllers: [EventSchemaController, UsageController],
  providers: [KeyFigures, UsageGroups, UsageRepository, UsageService],
})
export class DeveloperModule {}
