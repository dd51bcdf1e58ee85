import { area } from '../area.js';

export const exportsOfLists = area({
  name: 'exports',
  tags: {
    exports: 'Lists as files (CSV, NDJSON, XLSX), made by a job or sent in the response.',
    'exports schedules': 'Exports that are made again and again, and who is told.',
  },
  entities: async () => (await import('./exports.entities.js')).EXPORTS_ENTITIES,
  routes: async () => (await import('./exports.module.js')).ExportsModule,
  background: [async () => (await import('./exports-worker.module.js')).ExportsWorkerModule],
});
