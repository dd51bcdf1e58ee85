import { area } from '../area.js';

export const publicRoutes = area({
  name: 'public',
  tags: {
    'public careers': 'Public jobs of a tenant, and applications for them.',
    'public keys': 'The keys that verify what the platform signs.',
    'public status': 'Whether the platform works.',
    public: 'Content behind public links, without signing in.',
  },
  routes: async () => (await import('./public.module.js')).PublicModule,
  background: [async () => (await import('./public-worker.module.js')).PublicWorkerModule],
});
