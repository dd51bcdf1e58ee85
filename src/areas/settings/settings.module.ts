import { Module } from '@nestjs/common';
import { controllerOf } from '#libs/resource/routes/controller-of.js';
import { ApiKeyRules } from './api-keys/api-key-rules.js';
import { ApiKeyUsageService } from './api-keys/api-key-usage.service.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRecordsModule } from './api-keys/api-keys-records.module.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { customFields } from './custom-fields/custom-field.js';
import { CustomFieldsService } from './custom-fields/custom-fields.service.js';

/** What a tenant adds to the platform's own records, and its API keys. */
@Module({
  imports: [ApiKeysRecordsModule],
  controllers: [ApiKeysController, controllerOf(customFields, CustomFieldsService)],
  providers: [ApiKeyRules, ApiKeyUsageService, ApiKeysService, CustomFieldsService],
})
export class SettingsModule {}
