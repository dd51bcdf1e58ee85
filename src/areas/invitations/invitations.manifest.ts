import { area } from '../area.js';

export const invitations = area({
  name: 'invitations',
  tags: {
    invitations: 'For invitees: read an invitation, accept it or decline it.',
  },
  routes: async () => (await import('./invitations.module.js')).InvitationsModule,
});
