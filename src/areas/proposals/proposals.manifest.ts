import { area } from '../area.js';

export const proposals = area({
  name: 'proposals',
  types: [
    {
      resource: 'content-blocks',
      tag: 'proposals content blocks',
      about: 'Texts that are used again in proposals: introductions, terms and sections.',
      room: async () => (await import('./content-blocks/content-blocks.room.js')).contentBlocksRoom,
    },
  ],
  tags: {
    'proposals proposals':
      'Offers to customers: approval, sending by mail, versions, acceptance through a public link, which wins the deal.',
  },
  entities: async () => (await import('./proposals.entities.js')).PROPOSALS_ENTITIES,
  routes: async () => (await import('./proposals.module.js')).ProposalsModule,
  records: [async () => (await import('./proposals-records.module.js')).ProposalsRecordsModule],
});
