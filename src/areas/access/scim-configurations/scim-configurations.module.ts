import { Module } from '@nestjs/common';
import { ScimRecordsModule } from '#src/areas/scim/scim-records.module.js';
import { ConfigurationRecords } from './configuration-records.js';
import { ConfigurationRules } from './configuration-rules.js';
import { ScimConfigurationsRepository } from './scim-configurations.repository.js';
import { ScimConfigurationsService } from './scim-configurations.service.js';
import { ScimRemovalService } from './scim-removal.service.js';
import { ScimConfigurationsController } from './scim-configurations.controller.js';

/** Administration of the connections to identity providers. */
@Module({
  imports: [ScimRecordsModule],
  controllers: [ScimConfigurationsController],
  providers: [
    ConfigurationRecords,
    ConfigurationRules,
    ScimConfigurationsRepository,
    ScimConfigurationsService,
    ScimRemovalService,
  ],
  exports: [ScimRemovalService],
})
export class ScimConfigurationsModule {}
