import { Module } from '@nestjs/common';
import { CalendarsRecordsModule } from './calendars/calendars-records.module.js';
import { ChecklistTemplatesRecordsModule } from './checklist-templates/checklist-templates-records.module.js';
import { CustomFieldsService } from './custom-fields/custom-fields.service.js';

/** Record types of the settings without routes, for the worker. */
@Module({
  imports: [CalendarsRecordsModule, ChecklistTemplatesRecordsModule],
  providers: [CustomFieldsService],
  exports: [CustomFieldsService],
})
export class SettingsRecordsModule {}
