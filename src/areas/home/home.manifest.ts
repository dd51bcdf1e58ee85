import { area } from '../area.js';

export const home = area({
  name: 'home',
  tags: {
    home: 'The home page of a person: blocks, favourites and layout.',
    'home announcements': 'News on the home pages of all members or of a workspace.',
    'home approvals': 'Actions that wait for approval.',
    'home notifications': 'What the caller has been notified of.',
  },
  entities: async () => (await import('./home.entities.js')).HOME_ENTITIES,
  routes: async () => (await import('./home.module.js')).HomeModule,
  records: [async () => (await import('./approvals/approvals-records.module.js')).ApprovalsRecordsModule],
  background: [async () => (await import('./home-worker.module.js')).HomeWorkerModule],
});
