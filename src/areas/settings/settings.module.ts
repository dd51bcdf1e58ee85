import { Module } from '@nestjs/common';
import { controllerOf } from '#libs/resource/routes/controller-of.js';
import { customFields } from './custom-fields/custom-field.js';
import { CustomFieldsService } from './custom-fields/custom-fields.service.js';

/** What a tenant adds to the platform's own records. */
@Module({ controllers: [controllerOf(customFields, CustomFieldsService)], providers: [CustomFieldsService] })
export class SettingsModule {}
