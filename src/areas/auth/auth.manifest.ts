import { area } from '../area.js';

export const auth = area({
  name: 'auth',
  tags: {
    auth: 'Sign in through your identity provider; list and end sessions.',
    'auth oauth': 'Delegated access for partners: OAuth 2.0 with PKCE.',
  },
  routes: async () => (await import('./auth.module.js')).AuthModule,
  background: [async () => (await import('./auth-worker.module.js')).AuthWorkerModule],
});
