import { area } from '../area.js';

export const integrations = area({
  name: 'integrations',
  tags: {
    'integrations imports': 'Records from files (CSV, NDJSON): validated, imported and rolled back by jobs.',
  },
  entities: async () => (await import('./integrations.entities.js')).INTEGRATIONS_ENTITIES,
  routes: async () => (await import('./integrations.module.js')).IntegrationsModule,
  background: [async () => (await import('./integrations-worker.module.js')).IntegrationsWorkerModule],
});
