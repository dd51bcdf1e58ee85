import { randomInt } from 'node:crypto';
import type { Answer, Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { AUDIENCE, type Claims, type Issuer, startIssuer } from '../../harness/issuer.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

type Json = Record<string, unknown>;

/** What signing in answers. */
export interface Session {
  token: string;
  expiresAt: string;
  idleExpiresAt: string;
  session: { id: string; multiFactorAt: string | null; authMethods: string[] };
  membership: { id: string; name: string; email: string };
  tenant: { id: string; slug: string };
}

/** A platform whose people sign in at a provider of its own. */
export interface Door {
  platform: TestPlatform;
  issuer: Issuer;
  anonymous: Client;
  /** Sends a sign-in from an address of its own. */
  signIn(tenant: Pick<TestTenant, 'slug'>, idToken: string, more?: Json): Promise<Answer<Session & Json>>;
  /** A client that sends a session. */
  as(token: string, headers?: Record<string, string>): Pick<Client, 'get' | 'post' | 'patch' | 'delete'>;
  /** A member, whose address is verified, and the claims about them. */
  person(tenant: TestTenant, name?: string): Promise<{ id: string; claims: Claims }>;
  /** Such a member, signed in. */
  signedIn(tenant: TestTenant, claims?: Claims): Promise<Session & { claims: Claims }>;
  sql<R extends object = Json>(text: string, values?: unknown[]): Promise<R[]>;
  close(): Promise<void>;
}

/** Headers of a request from an address of its own, for which no limit per address is reached. */
export function fromSomewhere(): Record<string, string> {
  return { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}` };
}

export async function openDoor(env: Record<string, string> = {}): Promise<Door> {
  let platform: TestPlatform | null = null;
  const issuer = await startIssuer(() => platform?.clock.nowMs() ?? Date.now());
  platform = await startPlatform({
    env: { OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: `other-app,${AUDIENCE}`, TRUSTED_PROXIES: '127.0.0.1/32', ...env },
  });
  const running = platform;
  const anonymous = platform.anonymous();
  const door: Door = {
    platform: running,
    issuer,
    anonymous,
    signIn: (tenant, idToken, more = {}) =>
      anonymous.post('/api/auth/session', { idToken, tenantSlug: tenant.slug, ...more }, fromSomewhere()),
    as(token, more = {}) {
      const headers = () => ({ ...fromSomewhere(), authorization: `Bearer ${token}`, ...more });
      return {
        get: (path, own = {}) => anonymous.get(path, { ...headers(), ...own }),
        post: (path, body, own = {}) => anonymous.post(path, body, { ...headers(), ...own }),
        patch: (path, body, own = {}) => anonymous.patch(path, body, { ...headers(), ...own }),
        delete: (path, own = {}) => anonymous.delete(path, { ...headers(), ...own }),
      };
    },
    async person(tenant, name = 'Ana Silva') {
      const { id } = await running.member(tenant, name);
      const claims = { sub: `subject-${id}`, email: `${id}@example.test`, email_verified: true, name };
      return { id, claims };
    },
    async signedIn(tenant, more = {}) {
      const { claims } = await door.person(tenant);
      const answer = await door.signIn(tenant, await issuer.token({ ...claims, ...more }));
      if (answer.status !== 201) throw new Error(answer.text);
      return { ...answer.body, claims };
    },
    sql: (text, values) => asAdmin(running.database, text, values),
    async close() {
      await running.close();
      await issuer.close();
    },
  };
  return door;
}
