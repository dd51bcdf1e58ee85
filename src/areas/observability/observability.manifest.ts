import { area } from '../area.js';

export const observability = area({
  name: 'observability',
  tags: {
    observability: 'The tenant’s use of the API: requests, errors and latencies.',
  },
  routes: async () => (await import('./observability.module.js')).ObservabilityModule,
});
