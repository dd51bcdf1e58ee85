import type { CredentialTerms } from '#libs/auth/new-credential.js';
import type { CommandRun } from './command.js';
import { withDirectory } from './directory-access.js';
import { nameOf, slugOf, textOf } from './values.js';

const USUAL_NAME = 'SCIM token';

/** Terms of a token for an identity provider. Its kind gives access to the SCIM routes only, so it has no scopes. */
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

/** `scim token`: creates a configuration with default rules and its token. Administrators can change both. */
export const createScimToken: CommandRun = async (given, { settings }) => {
  const slug = slugOf(given, 'tenant');
  const name = textOf(given, 'name') === null ? USUAL_NAME : nameOf(given, 'name');
  const { id, text } = await withDirectory(settings(), async ({ tenants, credentials }) =>
    credentials.create(await tenants.get(slug), scimTerms(name)),
  );
  return {
    json: { token: text },
    text: `Created the SCIM configuration "${name}" (${id}) of the tenant ${slug}. Its token is shown only once: ${text}`,
  };
};
