import { area } from '../area.js';

export const documents = area({
  name: 'documents',
  tags: {
    'admin document templates': 'Texts from which documents and mails are made, in published versions.',
    'documents documents': 'Documents from templates, with frozen data and a PDF: make, finalize, replace, void.',
    'documents files': 'Files in folders and versions: upload, read, link, scan for viruses.',
  },
  entities: async () => (await import('./documents.entities.js')).DOCUMENTS_ENTITIES,
  records: [async () => (await import('./documents-records.module.js')).DocumentsRecordsModule],
  routes: async () => (await import('./documents.module.js')).DocumentsModule,
  background: [async () => (await import('./documents-worker.module.js')).DocumentsWorkerModule],
});
