import { URN } from '#libs/scim-language/urn.js';

/** Example user, as sent by providers and as shown, for the API document. */
export const USER_EXAMPLE = {
  body: {
    schemas: [URN.user, URN.enterprise],
    externalId: '00u1a2b3c4',
    userName: 'ana@acme.example',
    name: { givenName: 'Ana', familyName: 'Silva' },
    displayName: 'Ana Silva',
    emails: [{ value: 'ana@acme.example', type: 'work', primary: true }],
    active: true,
    [URN.enterprise]: { department: 'Sales', employeeNumber: '4711' },
  },
  answer: {
    schemas: [URN.user, URN.enterprise],
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
    externalId: '00u1a2b3c4',
    userName: 'ana@acme.example',
    name: { givenName: 'Ana', familyName: 'Silva' },
    displayName: 'Ana Silva',
    emails: [{ value: 'ana@acme.example', type: 'work', primary: true }],
    active: true,
    [URN.enterprise]: { department: 'Sales', employeeNumber: '4711' },
    meta: {
      resourceType: 'User',
      created: '2026-11-21T09:15:02.114Z',
      lastModified: '2026-11-21T09:15:02.114Z',
      location: 'https://api.example.com/api/scim/v2/Users/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
      version: 'W/"1"',
    },
  },
};
