import { Module } from '@nestjs/common';
import { GuarantorsModule } from '#libs/auth/guarantors.module.js';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { DocumentTemplatesController } from './document-templates/document-templates.controller.js';
import { DocumentTemplatesService } from './document-templates/document-templates.service.js';
import { TemplateCatalogue } from './document-templates/template-catalogue.js';
import { DocumentsRecordsModule } from './documents-records.module.js';
import { documentsSample } from './documents.sample.js';
import { FileUploadsController } from './files/file-uploads.controller.js';
import { FileUploadsService } from './files/file-uploads.service.js';
import { FilesController } from './files/files.controller.js';

/** Files, and templates of documents. */
@Module({
  imports: [DocumentsRecordsModule, GuarantorsModule],
  controllers: [DocumentTemplatesController, FilesController, FileUploadsController],
  providers: [
    contributesSample('documents', documentsSample),
    DocumentTemplatesService,
    FileUploadsService,
    TemplateCatalogue,
  ],
})
export class DocumentsModule {}
