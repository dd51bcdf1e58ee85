import { area } from '../area.js';

export const reports = area({
  name: 'reports',
  tags: {
    reports: 'Aggregated tables over records, each row with the list of its records: on request, stored, scheduled.',
    'reports runs': 'Stored results of reports.',
  },
  entities: async () => (await import('./reports.entities.js')).REPORTS_ENTITIES,
  routes: async () => (await import('./reports.module.js')).ReportsModule,
  background: [async () => (await import('./reports-worker.module.js')).ReportsWorkerModule],
});
