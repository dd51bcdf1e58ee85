import { Module } from '@nestjs/common';
import { KeyFigures } from '#libs/accounting/key-figures.js';
import { ApiKeyRecords } from './api-key-records.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** API keys without routes. */
@Module({ providers: [ApiKeyRecords, ApiKeysRepository, KeyFigures], exports: [ApiKeyRecords, KeyFigures] })
export class ApiKeysRecordsModule {}
