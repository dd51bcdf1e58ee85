import { area } from '../area.js';

export const timeline = area({
  name: 'timeline',
  tags: {
    timeline: 'Comments, attachments, links, watchers and activity of records of any type.',
  },
  entities: async () => (await import('./timeline.entities.js')).TIMELINE_ENTITIES,
  routes: async () => (await import('./timeline.module.js')).TimelineModule,
});
