import { area } from '../area.js';

export const developer = area({
  name: 'developer',
  tags: {
    developer: 'For integrations: event schemas, API usage and limits.',
  },
  routes: async () => (await import('./developer.module.js')).DeveloperModule,
});
