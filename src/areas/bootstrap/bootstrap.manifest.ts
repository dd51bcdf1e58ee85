import { area } from '../area.js';

export const bootstrap = area({
  name: 'bootstrap',
  tags: {
    bootstrap: 'Everything an app needs at start in one call, and the creation of tenants.',
  },
  routes: async () => (await import('./bootstrap.module.js')).BootstrapModule,
});
