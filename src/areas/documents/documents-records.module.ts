import { Module } from '@nestjs/common';
import { TemplateEngine } from '#libs/templates/template-engine.js';
import { DocumentTemplatesRepository } from './document-templates/document-templates.repository.js';
import { MailTexts } from './document-templates/mail-texts.js';
import { TemplatePreviews } from './document-templates/template-previews.js';

const SERVICES = [DocumentTemplatesRepository, TemplateEngine, TemplatePreviews];

/** Templates and their rendering without routes, for every process. */
@Module({
  providers: [...SERVICES, MailTexts],
  exports: SERVICES,
})
export class DocumentsRecordsModule {}
