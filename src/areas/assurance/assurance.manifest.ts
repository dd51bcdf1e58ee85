import { area } from '../area.js';

export const assurance = area({
  name: 'assurance',
  tags: {
    'admin retention': 'How long records are kept, and legal holds that stop their deletion.',
    'admin security': 'Requirements of the tenant for sign-ins, and its security checks.',
    'admin audit logs': 'The append-only log of changes, refusals and failed sign-ins: who, when, from where.',
    'admin compliance':
      'Signed evidence for audits, and the service-level report: what was promised and what was delivered.',
  },
  entities: async () => (await import('./assurance.entities.js')).ASSURANCE_ENTITIES,
  routes: async () => (await import('./assurance.module.js')).AssuranceModule,
  background: [
    async () => (await import('./audit-streams/audit-streams-worker.module.js')).AuditStreamsWorkerModule,
    async () => (await import('./security/posture/posture-worker.module.js')).PostureWorkerModule,
    async () => (await import('./retention/retention-worker.module.js')).RetentionWorkerModule,
  ],
});
