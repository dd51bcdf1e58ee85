import { Module } from '@nestjs/common';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { DocumentTemplatesController } from './document-templates/document-templates.controller.js';
import { DocumentTemplatesService } from './document-templates/document-templates.service.js';
import { TemplateCatalogue } from './document-templates/template-catalogue.js';
import { DocumentsRecordsModule } from './documents-records.module.js';
import { documentsSample } from './documents.sample.js';

/** Templates of documents. */
@Module({
  imports: [DocumentsRecordsModule],
  controllers: [DocumentTemplatesController],
  providers: [contributesSample('documents', documentsSample), DocumentTemplatesService, TemplateCatalogue],
})
export class DocumentsModule {}
