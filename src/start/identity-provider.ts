import { fileURLToPath } from 'node:url';
import type { Settings } from '#libs/config/settings.js';
import { Child, type ChildOptions } from './child.js';
import { DEMO_PEOPLE } from './demo-people.js';

/** The settings that connect API and worker to it. */
export function signInSettings(issuer: string): NodeJS.ProcessEnv {
  return { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'platform' };
}

/** The demo OpenID provider; null when another one is configured, and in production. */
export function tryOutProvider(
  { OIDC_ISSUER, NODE_ENV, DATA_DIR }: Settings,
  env: NodeJS.ProcessEnv,
  options: Pick<ChildOptions, 'onSpawn' | 'tell'>,
): Child | null {
  if (OIDC_ISSUER !== null || NODE_ENV === 'production') return null;
  const identities = DEMO_PEOPLE.map(({ email, name }) => ({ email, name }));
  return new Child({
    ...options,
    name: 'identity provider',
    entry: fileURLToPath(new URL('../../../scripts/identity-provider.mjs', import.meta.url)),
    env: { ...env, DATA_DIR, IDENTITIES: JSON.stringify(identities) },
    flags: [],
  });
}
