import { area } from '../area.js';

export const handover = area({
  name: 'handover',
  tags: {
    'admin sales handoff': 'The transfer of won deals from sales to delivery, and its templates.',
  },
  entities: async () => (await import('./handover.entities.js')).HANDOVER_ENTITIES,
  routes: async () => (await import('./sales-handoff/sales-handoff.module.js')).SalesHandoffModule,
  records: [async () => (await import('./sales-handoff/sales-handoff-records.module.js')).SalesHandoffRecordsModule],
});
