import { area } from '../area.js';

export const hiring = area({
  name: 'hiring',
  tags: {
    'admin talent mapping': 'How hired candidates become employees: mappings, their steps, and templates.',
  },
  entities: async () => (await import('./hiring.entities.js')).HIRING_ENTITIES,
  routes: async () => (await import('./talent-mapping/talent-mapping.module.js')).TalentMappingModule,
  records: [async () => (await import('./talent-mapping/talent-mapping-records.module.js')).TalentMappingRecordsModule],
});
