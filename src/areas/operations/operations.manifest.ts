import { area } from '../area.js';

export const operations = area({
  name: 'operations',
  tags: {
    'operations checklists': 'Checklists of records: items with due dates, assignees and evidence.',
    'operations jobs': 'Asynchronous jobs with their progress.',
  },
  entities: async () => (await import('./operations.entities.js')).OPERATIONS_ENTITIES,
  routes: async () => (await import('./operations.module.js')).OperationsModule,
});
