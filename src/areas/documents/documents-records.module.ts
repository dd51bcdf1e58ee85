import { Module } from '@nestjs/common';
import { TemplateEngine } from '#libs/templates/template-engine.js';
import { DocumentTemplatesRepository } from './document-templates/document-templates.repository.js';
import { MailTexts } from './document-templates/mail-texts.js';
import { TemplatePreviews } from './document-templates/template-previews.js';
import { FileVersionsRepository } from './files/file-versions.repository.js';
import { FilesService } from './files/files.service.js';

const SERVICES = [DocumentTemplatesRepository, FilesService, TemplateEngine, TemplatePreviews];

/** Files, templates and their rendering without routes, for every process. */
@Module({
  providers: [...SERVICES, FileVersionsRepository, MailTexts],
  exports: SERVICES,
})
export class DocumentsRecordsModule {}
