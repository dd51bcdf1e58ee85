import { URN } from '#libs/scim-language/urn.js';

const USER = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22';
const BASE = 'https://api.example.com/api/scim/v2';

/** Example group for the API document. */
export const GROUP_EXAMPLE = {
  body: {
    schemas: [URN.group],
    externalId: '00g1a2b3c4',
    displayName: 'Sales',
    members: [{ value: USER }],
  },
  answer: {
    schemas: [URN.group],
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b23',
    externalId: '00g1a2b3c4',
    displayName: 'Sales',
    members: [{ value: USER, display: 'Ana Silva', type: 'User' }],
    meta: {
      resourceType: 'Group',
      created: '2026-11-21T09:15:02.114Z',
      lastModified: '2026-11-21T09:15:02.114Z',
      location: `${BASE}/Groups/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b23`,
      version: 'W/"1"',
    },
  },
};

export const GROUP_PATCH_EXAMPLE = {
  schemas: [URN.patchOp],
  Operations: [{ op: 'add', path: 'members', value: [{ value: USER }] }],
};
