import { area } from '../area.js';

export const serviceLevels = area({
  name: 'service-levels',
  tags: {
    'admin slo': 'Service-level objectives with error budgets and burn rates, from recorded requests.',
    'admin performance': 'Measured latency of your requests; state of process, database, queues and workers.',
  },
  routes: async () => (await import('./service-levels.module.js')).ServiceLevelsModule,
  background: [async () => (await import('./slo/slo-worker.module.js')).SloWorkerModule],
});
