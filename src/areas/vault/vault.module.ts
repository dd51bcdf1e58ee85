import { Module } from '@nestjs/common';
import { SecretsRecordsModule } from './secrets/secrets-records.module.js';
import { SecretsController } from './secrets/secrets.controller.js';

/** Secrets that only the platform uses. */
@Module({
  imports: [SecretsRecordsModule],
  controllers: [SecretsController],
})
export class VaultModule {}
