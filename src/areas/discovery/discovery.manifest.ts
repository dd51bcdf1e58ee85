import { area } from '../area.js';

export const discovery = area({
  name: 'discovery',
  tags: {
    discovery: 'Discover areas, types, operations, your permissions, and tools for AI agents.',
  },
  routes: async () => (await import('./discovery.module.js')).DiscoveryModule,
});
