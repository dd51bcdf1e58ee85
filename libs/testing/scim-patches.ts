import { applyPatch } from '#libs/scim-language/patch.js';
import { GROUPS, USERS } from '#libs/scim-language/resource-schema.js';
import type { Resource } from '#libs/scim-language/resource.js';
import { ScimError } from '#libs/scim-language/scim-error.js';
import { URN } from '#libs/scim-language/urn.js';

/** A SCIM user with attributes of every kind. */
export function user(): Resource {
  return {
    userName: 'ana@acme.example',
    externalId: '00u1',
    active: true,
    displayName: 'Ana Silva',
    title: 'Engineer',
    name: { givenName: 'Ana', familyName: 'Silva' },
    emails: [
      { value: 'ana@acme.example', type: 'work', primary: true },
      { value: 'ana@home.example', type: 'home' },
    ],
    [URN.enterprise]: { department: 'Sales', manager: { value: 'm1', $ref: 'https://api.example.com/Users/m1' } },
  };
}

/** Applies operations to a user. */
export function patch(current: Resource, ...Operations: object[]): Resource {
  return applyPatch(USERS, current, { schemas: [URN.patchOp], Operations }).resource;
}

/** The changes that operations make to the members of a group. */
export function memberChanges(...Operations: object[]) {
  return applyPatch(GROUPS, { displayName: 'Sales' }, { schemas: [URN.patchOp], Operations }).members;
}

/** The status and type of the SCIM error that a call throws; `none` when it throws none. */
export function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ScimError) return `${error.status} ${error.scimType}`;
    throw error;
  }
  return 'none';
}
