import type { CredentialTerms } from '#libs/auth/new-credential.js';
import type { CommandRun } from './command.js';
import { withDirectory } from './directory-access.js';
import { slugOf } from './values.js';

/** Terms of a token for an identity provider. Its kind opens the SCIM routes and nothing else, so it has no scopes. */
export function scimTerms(name: string): CredentialTerms {
  return {
    kind: 'scim_token',
    name,
    scopes: [],
    allowProtected: false,
    allowedCidrs: [],
    expiresAt: null,
    memberId: null,
  };
}

/** `scim token` */
export const createScimToken: CommandRun = async (given, { settings }) => {
  const slug = slugOf(given, 'tenant');
  const { id, text } = await withDirectory(settings(), async ({ tenants, credentials }) =>
    credentials.create(await tenants.get(slug), scimTerms('SCIM token')),
  );
  return {
    json: { token: text },
    text: `Made the SCIM token ${id} of the tenant ${slug}, which is shown this once: ${text}`,
  };
};
