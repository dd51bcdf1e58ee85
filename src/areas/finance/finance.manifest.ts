import { area } from '../area.js';

export const finance = area({
  name: 'finance',
  tags: {
    'finance invoices': 'Drafts, issued invoices with gapless numbers, and their settlement.',
    'finance payments': 'Incoming and outgoing payments: allocation to invoices, unallocated amounts, refunds.',
    'finance credit notes': 'Credits for invoices: drafts, issued notes with gapless numbers, and their application.',
    'finance tax rates': 'Tax rates for document lines. The percentage of a rate is fixed once a document uses it.',
    'finance ledger entries': 'The immutable journal of all financial transactions, and reports based on it.',
  },
  entities: async () => (await import('./finance.entities.js')).FINANCE_ENTITIES,
  routes: async () => (await import('./finance.module.js')).FinanceModule,
  records: [async () => (await import('./finance-records.module.js')).FinanceRecordsModule],
});
