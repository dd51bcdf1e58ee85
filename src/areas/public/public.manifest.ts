import { area } from '../area.js';

export const publicRoutes = area({
  name: 'public',
  tags: {
    'public keys': 'The keys that verify what the platform signs.',
    'public status': 'Whether the platform works.',
    public: 'Content behind public links, without signing in.',
  },
  routes: async () => (await import('./public.module.js')).PublicModule,
  background: [async () => (await import('./public-worker.module.js')).PublicWorkerModule],
});
