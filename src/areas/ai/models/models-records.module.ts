import { Module } from '@nestjs/common';
import { OutboundModule } from '#libs/outbound/outbound.module.js';
import { SecretsRecordsModule } from '#src/areas/vault/secrets/secrets-records.module.js';
import { ModelsRepository } from './models.repository.js';
import { Models } from './models.service.js';
import { ProvidersRepository } from './providers.repository.js';
import { Providers } from './providers.service.js';

/** Providers and models without routes, for jobs and the worker. */
@Module({
  imports: [OutboundModule, SecretsRecordsModule],
  providers: [Models, ModelsRepository, Providers, ProvidersRepository],
  exports: [Models, ModelsRepository, Providers, ProvidersRepository],
})
export class AiModelsRecordsModule {}
