import { area } from '../area.js';

export const insights = area({
  name: 'insights',
  tags: {
    'admin overview': 'The health of the tenant on one page.',
    'insights metrics':
      'Metrics of the platform: what is calculated from which records, recorded history, and forecasts.',
    'insights anomalies': 'Values of metrics that differ much from the usual ones.',
    'admin scorecards': 'Key figures of the tenant, measured from its records, against targets.',
  },
  routes: async () => (await import('./insights.module.js')).InsightsModule,
  background: [async () => (await import('./insights-worker.module.js')).InsightsWorkerModule],
});
