import { Module } from '@nestjs/common';
import { CustomFieldsController } from './custom-fields/custom-fields.controller.js';
import { CustomFieldsRepository } from './custom-fields/custom-fields.repository.js';
import { CustomFieldsService } from './custom-fields/custom-fields.service.js';

/** What a tenant adds to the platform's own records. */
@Module({ controllers: [CustomFieldsController], providers: [CustomFieldsRepository, CustomFieldsService] })
export class SettingsModule {}
