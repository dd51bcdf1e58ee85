import { Module } from '@nestjs/common';
import { controllerOf } from '#libs/resource/routes/controller-of.js';
import { customFields } from './custom-fields/custom-field.js';
import { CustomFieldsService } from './custom-fields/custom-fields.service.js';
import { TenantController } from './tenant/tenant.controller.js';
import { TenantService } from './tenant/tenant.service.js';

/** The tenant itself, and what it adds to the platform's own records. */
@Module({
  controllers: [controllerOf(customFields, CustomFieldsService), TenantController],
  providers: [CustomFieldsService, TenantService],
})
export class SettingsModule {}
