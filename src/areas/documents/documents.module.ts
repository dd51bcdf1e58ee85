import { Module } from '@nestjs/common';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { TemplateEngine } from '#libs/templates/template-engine.js';
import { DocumentTemplatesController } from './document-templates/document-templates.controller.js';
import { DocumentTemplatesRepository } from './document-templates/document-templates.repository.js';
import { DocumentTemplatesService } from './document-templates/document-templates.service.js';
import { TemplateCatalogue } from './document-templates/template-catalogue.js';
import { TemplatePreviews } from './document-templates/template-previews.js';
import { documentsSample } from './documents.sample.js';

/** Templates of documents. */
@Module({
  controllers: [DocumentTemplatesController],
  providers: [
    contributesSample('documents', documentsSample),
    DocumentTemplatesRepository,
    DocumentTemplatesService,
    TemplateCatalogue,
    TemplateEngine,
    TemplatePreviews,
  ],
})
export class DocumentsModule {}
