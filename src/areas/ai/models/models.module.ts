import { Module } from '@nestjs/common';
import { OutboundModule } from '#libs/outbound/outbound.module.js';
import { ModelChangesService } from './model-changes.service.js';
import { ModelsController } from './models.controller.js';
import { AiModelsRecordsModule } from './models-records.module.js';
import { ProviderChangesService } from './provider-changes.service.js';
import { ProvidersController } from './providers.controller.js';

/** AI providers and models, and the catalogue of job kinds. */
@Module({
  imports: [AiModelsRecordsModule, OutboundModule],
  controllers: [ModelsController, ProvidersController],
  providers: [ModelChangesService, ProviderChangesService],
})
export class ModelsModule {}
