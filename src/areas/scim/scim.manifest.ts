import { area } from '../area.js';

export const scim = area({
  name: 'scim',
  tags: {
    'scim discovery': 'Capabilities of the SCIM server, for identity providers.',
    'scim users': 'The members of the tenant, as identity providers see them.',
    'scim groups':
      'Groups as identity providers push them. Members get the roles and workspaces that the configuration maps the group to.',
    'scim search': 'Queries by POST, which keeps filters out of URLs.',
    'scim bulk': 'Many changes of users and groups in one request, for identity providers (RFC 7644).',
    'scim me': 'Not supported: SCIM tokens do not act for a user.',
  },
  routes: async () => (await import('./scim.module.js')).ScimModule,
});
