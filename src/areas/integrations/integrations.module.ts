import { Module } from '@nestjs/common';
import { DocumentsRecordsModule } from '../documents/documents-records.module.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportsService } from './imports/imports.service.js';
import { IntegrationsRecordsModule } from './integrations-records.module.js';

/** Records from files. */
@Module({
  imports: [DocumentsRecordsModule, IntegrationsRecordsModule],
  controllers: [ImportsController],
  providers: [ImportsService],
})
export class IntegrationsModule {}
