import { area } from '../area.js';

export const setup = area({
  name: 'setup',
  tags: {
    'admin settings': 'Settings of the tenant: defaults, rules, and gates in front of sensitive actions.',
    'settings gates': 'Approval gates for sensitive actions, with the number of pending requests.',
    'settings number series': 'Document numbers and record references.',
    'admin onboarding': 'Steps that lead a new tenant to its first useful data.',
  },
  entities: async () => (await import('./setup.entities.js')).SETUP_ENTITIES,
  routes: async () => (await import('./setup.module.js')).SetupModule,
});
