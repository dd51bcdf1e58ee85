import { area } from '../area.js';

export const dataExport = area({
  name: 'data-export',
  tags: { 'data export': 'All data of the tenant, of an area or of the audit log as a signed archive.' },
  entities: async () => (await import('./data-export.entities.js')).DATA_EXPORT_ENTITIES,
  routes: async () => (await import('./data-export.module.js')).DataExportModule,
  background: [async () => (await import('./data-export-worker.module.js')).DataExportWorkerModule],
});
