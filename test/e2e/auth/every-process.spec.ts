import { Browser } from '../../harness/browser.js';
import type { Client } from '../../harness/client.js';
import { AUDIENCE } from '../../harness/issuer.js';
import { startPlatform, type TestTenant } from '../../harness/platform.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { DEALS, type Key, KEYS, makeKey } from '../settings/key-calls.js';
import { type Door, fromSomewhere, openDoor } from './door.js';
import { visitsOf } from './visits.js';

type Json = Record<string, unknown>;

/** A revoked credential is rejected on the next request, also by another process that has cached it. */
const door: Door = await openDoor({ OIDC_CLIENT_ID: AUDIENCE });
const second = await startPlatform({ shared: door.platform.database });
const clocks = [door.platform.clock, second.clock];
afterAll(async () => {
  await second.close();
  await door.close();
});

const { url } = door.platform;
const { signIn } = visitsOf(door);
const ours = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await door.platform.tenant();
});

type Credential = Record<string, string>;
const bearer = (token: string): Credential => ({ authorization: `Bearer ${token}` });

/** Status and code of a read and a write with a credential, on both processes. */
async function answers(credential: Credential): Promise<unknown[][]> {
  const each = async (anonymous: Client) => {
    const headers = { ...credential, ...ours };
    const read = await anonymous.get<Json>(DEALS, { ...headers, ...fromSomewhere() });
    const write = await anonymous.post<Json>(DEALS, { name: 'Deal' }, { ...headers, ...fromSomewhere() });
    return [read.status, write.status, read.body['code'], write.body['code']];
  };
  return Promise.all([each(door.anonymous), each(second.anonymous())]);
}

const OPEN = [200, 201, undefined, undefined];
const OUT = [401, 401, 'unauthenticated', 'unauthenticated'];
const refused = (code: string) => [403, 403, code, code];

async function expectEnd(credential: Credential, end: () => Promise<unknown>, after: unknown[]): Promise<void> {
  expect(await answers(credential)).toEqual([OPEN, OPEN]);
  await end();
  expect(await answers(credential)).toEqual([after, after]);
}

const membership = (id: string, change: Json) => tenant.api.patch(`/api/admin/memberships/${id}`, change);
const post = (browser: Browser, path: string, body: Json = {}) =>
  browser.open(url + path, { method: 'POST', body: JSON.stringify(body), headers: ours });

describe('a session', () => {
  interface Person {
    id: string;
    token: string;
    claims: Json;
    sessionId: string;
  }
  it.each<[string, (person: Person) => Promise<unknown>, unknown[]]>([
    ['that was signed out', ({ token }) => door.as(token).post('/api/auth/logout'), OUT],
    [
      'that was revoked from another one, with all sessions of the person',
      async ({ claims }) => {
        const { body } = await door.signIn(tenant, await door.issuer.token(claims));
        return door.as(body.token).post('/api/auth/logout', { everywhere: true });
      },
      OUT,
    ],
    ['that an administrator revoked', ({ sessionId }) => tenant.api.delete(`/api/auth/sessions/${sessionId}`), OUT],
    [
      'of a member whose sessions were reset',
      ({ id }) => tenant.api.post(`/api/admin/memberships/${id}/reset-session`),
      OUT,
    ],
    ['of a member who was suspended', ({ id }) => membership(id, { status: 'suspended' }), OUT],
    ['of a member who was deactivated', ({ id }) => membership(id, { status: 'deactivated' }), OUT],
    [
      'of a tenant that now requires a second factor',
      () => tenant.api.patch('/api/admin/security/mfa', { policy: 'all' }),
      refused('mfa_required'),
    ],
    ['that was idle for too long', async () => clocks.forEach((clock) => clock.advance(61 * 60_000)), OUT],
  ])('%s', async (_, end, after) => {
    await door.platform.member(tenant, 'Somebody else'); // keeps an owner in the tenant
    const { token, membership: member, session, claims } = await door.signedIn(tenant);
    await expectEnd(bearer(token), () => end({ id: member.id, token, claims, sessionId: session.id }), after);
  });

  it('of a member with a narrower role', async () => {
    const { token, membership: member } = await door.signedIn(tenant);
    const role = await tenant.api.post<Json>('/api/admin/roles', { name: 'Clerk', permissions: ['accounts:read'] });
    await door.platform.member(tenant, 'Another owner');
    await expectEnd(
      bearer(token),
      () => membership(member.id, { roleIds: [role.body['id']] }),
      refused('permission_denied'),
    );
  });

  it('of a browser that switched to another tenant or signed in again', async () => {
    const other = await door.platform.tenant();
    const { claims } = await door.person(tenant);
    await door.sql(
      `insert into data.memberships (tenant_id, id, email, name, status, created_at)
       values ($1, gen_random_uuid(), $2, 'Ana', 'active', now())`,
      [other.id, claims['email']],
    );
    const browser = new Browser(fromSomewhere());
    await signIn(browser, claims, { tenant: tenant.slug });
    const left = browser.cookie(url, 'session')!;
    const leave = () => post(browser, '/api/auth/switch-tenant', { tenantSlug: other.slug });
    await expectEnd({ cookie: `session=${left}` }, leave, OUT);
  });

  it('without a tenant', async () => {
    const sub = `nobody-${tenant.slug}`;
    const browser = new Browser(fromSomewhere());
    await signIn(browser, { sub, email: `${sub}@example.com`, email_verified: true });
    const credential = { cookie: `session=${browser.cookie(url, 'session')!}` };
    const statuses = () =>
      Promise.all(
        [door.anonymous, second.anonymous()].map(
          async (each) => (await each.get('/api/bootstrap', { ...credential, ...fromSomewhere() })).status,
        ),
      );
    expect(await statuses()).toEqual([200, 200]);
    await post(browser, '/api/auth/logout');
    expect(await statuses()).toEqual([401, 401]);
  });
});

describe('a key', () => {
  it.each<[string, (key: Key, ownerId: string) => Promise<unknown>, unknown[]]>([
    ['that was revoked', ({ id }) => tenant.api.post(`${KEYS}/${id}/revoke`), OUT],
    [
      'that was narrowed',
      ({ id }) => tenant.api.patch(`${KEYS}/${id}`, { scopes: ['accounts:read'] }),
      refused('permission_denied'),
    ],
    ['that has expired', async () => clocks.forEach((clock) => clock.advance(2 * DAY_MS)), OUT],
    ['whose owner was suspended', (_, ownerId) => membership(ownerId, { status: 'suspended' }), OUT],
    [
      'that may only be used from another address',
      ({ id }) => tenant.api.patch(`${KEYS}/${id}`, { ipAllowList: ['192.0.2.0/24'] }),
      refused('ip_not_allowed'),
    ],
  ])('%s', async (_, end, after) => {
    const owner = await door.platform.member(tenant, 'Mo', ['*'], { roles: ['manager'] });
    const expiresAt = new Date(door.platform.clock.nowMs() + DAY_MS).toISOString();
    const key = await makeKey(owner.api, { kind: 'personal', scopes: ['deals:*', 'accounts:read'], expiresAt });
    await expectEnd({ 'x-api-key': key.apiKey }, () => end(key, owner.id), after);
  });
});
