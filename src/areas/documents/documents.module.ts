import { Module } from '@nestjs/common';
import { GuarantorsModule } from '#libs/auth/guarantors.module.js';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { DocumentTemplatesController } from './document-templates/document-templates.controller.js';
import { DocumentTemplatesService } from './document-templates/document-templates.service.js';
import { TemplateCatalogue } from './document-templates/template-catalogue.js';
import { DocumentPreparing } from './documents/document-preparing.js';
import { DocumentsController } from './documents/documents.controller.js';
import { DocumentsRecordsModule } from './documents-records.module.js';
import { documentsSample } from './documents.sample.js';
import { FileUploadsController } from './files/file-uploads.controller.js';
import { FileUploadsService } from './files/file-uploads.service.js';
import { FilesController } from './files/files.controller.js';

/** Files, documents and their templates. */
@Module({
  imports: [DocumentsRecordsModule, GuarantorsModule],
  controllers: [DocumentsController, DocumentTemplatesController, FilesController, FileUploadsController],
  providers: [
    contributesSample('documents', documentsSample),
    DocumentPreparing,
    DocumentTemplatesService,
    FileUploadsService,
    TemplateCatalogue,
  ],
})
export class DocumentsModule {}
