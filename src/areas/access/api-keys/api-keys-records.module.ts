import { Module } from '@nestjs/common';
import { KeyFigures } from '#libs/request-counts/key-figures.js';
import { ApiKeyRecords } from './api-key-records.js';
import { ApiKeyRevocations } from './api-key-revocations.service.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** API keys without routes. */
@Module({
  providers: [ApiKeyRecords, ApiKeyRevocations, ApiKeysRepository, KeyFigures],
  exports: [ApiKeyRecords, ApiKeyRevocations, KeyFigures],
})
export class ApiKeysRecordsModule {}
