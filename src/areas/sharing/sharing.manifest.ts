import { area } from '../area.js';

export const sharing = area({
  name: 'sharing',
  tags: {
    'settings public links': 'Links that give access to one record without signing in.',
  },
  entities: async () => (await import('./sharing.entities.js')).SHARING_ENTITIES,
  routes: async () => (await import('./sharing.module.js')).SharingModule,
  records: [async () => (await import('./public-links/public-links-records.module.js')).PublicLinksRecordsModule],
});
