import { Module } from '@nestjs/common';
import { PdfRenderer } from '#libs/pdf/pdf-renderer.js';
import { TemplateEngine } from '#libs/templates/template-engine.js';
import { DocumentTemplatesRepository } from './document-templates/document-templates.repository.js';
import { MailTexts } from './document-templates/mail-texts.js';
import { TemplatePreviews } from './document-templates/template-previews.js';
import { DocumentPrinting } from './documents/document-printing.js';
import { DocumentsService } from './documents/documents.service.js';
import { FileVersionsRepository } from './files/file-versions.repository.js';
import { FilesService } from './files/files.service.js';

const SERVICES = [DocumentsService, DocumentTemplatesRepository, FilesService, TemplateEngine, TemplatePreviews];

/** Files, templates and their rendering without routes, for every process. */
@Module({
  providers: [...SERVICES, DocumentPrinting, PdfRenderer, FileVersionsRepository, MailTexts],
  exports: SERVICES,
})
export class DocumentsRecordsModule {}
