import { area } from '../area.js';

export const processIntelligence = area({
  name: 'process-intelligence',
  tags: {
    'process intelligence': 'Time in state and other measures, from the state changes of records.',
  },
  routes: async () => (await import('./process-intelligence.module.js')).ProcessIntelligenceModule,
});
