import { area } from '../area.js';

export const access = area({
  name: 'access',
  tags: {
    'admin memberships': 'Members of the tenant: roles, workspaces, status, and ending their sessions.',
    'admin invitations': 'Invite people, see open invitations, resend or revoke them.',
    'admin workspaces': 'Workspaces of teams, with their members and leads.',
    'admin roles': 'Built-in and custom roles.',
    'admin resource permissions':
      'Exceptions to roles for single records or all records of a type in a workspace, and effective rights.',
    'settings api keys': 'API keys of people and of integrations: scopes, limits, rotation, usage.',
    'admin access reviews':
      'Campaigns in which reviewers confirm or revoke the access of members, API keys, exceptions and connections.',
    'admin scim': 'Connections to identity providers: tokens, mappings, and logs of their calls.',
  },
  entities: async () => (await import('./access.entities.js')).ACCESS_ENTITIES,
  routes: async () => (await import('./access.module.js')).AccessModule,
  records: [
    async () => (await import('./access-metrics.module.js')).AccessMetricsModule,
    async () => (await import('./access-reviews/access-reviews-records.module.js')).AccessReviewsRecordsModule,
    async () => (await import('./invitations/invitations-records.module.js')).InvitationsRecordsModule,
  ],
  background: [async () => (await import('./access-worker.module.js')).AccessWorkerModule],
});
