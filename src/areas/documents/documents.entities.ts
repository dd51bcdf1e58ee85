import type { EntityClass } from '#libs/database/data-source.js';
import { DocumentTemplate } from './document-templates/document-template.js';
import { Document } from './documents/document.js';
import { StoredFile } from './files/file.js';
import { TemplateVersion } from './document-templates/template-version.entity.js';

export const DOCUMENTS_ENTITIES: EntityClass[] = [Document, DocumentTemplate, StoredFile, TemplateVersion];
