import { area } from '../area.js';

export const sales = area({
  name: 'sales',
  types: [
    {
      resource: 'products',
      tag: 'sales products',
      about: 'Products and services for sale, with prices per currency.',
      room: async () => (await import('./products/products.room.js')).productsRoom,
    },
  ],
  tags: {
    'sales leads': 'Prospective customers: qualify, convert or disqualify them.',
    'sales accounts': 'Customers, vendors and partners, with their place in the account life cycle.',
    'sales contacts': 'People at accounts, with contact details and consent.',
    'sales pipelines': 'The stages that deals move through. A tenant has exactly one default pipeline.',
    'sales deals': 'Opportunities in a pipeline: create, edit, move, win, lose, reopen.',
  },
  entities: async () => (await import('./sales.entities.js')).SALES_ENTITIES,
  routes: async () => (await import('./sales.module.js')).SalesModule,
  records: [async () => (await import('./sales-records.module.js')).SalesRecordsModule],
});
