import { area } from '../area.js';

export const opsCommand = area({
  name: 'ops-command',
  tags: {
    'ops-command maintenance windows': 'Announced maintenance, which does not count in the service-level report.',
  },
  entities: async () => (await import('./ops-command.entities.js')).OPS_COMMAND_ENTITIES,
  routes: async () => (await import('./ops-command.module.js')).OpsCommandModule,
});
