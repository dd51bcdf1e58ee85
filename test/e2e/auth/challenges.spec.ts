import { AUDIENCE, type Claims } from '../../harness/issuer.js';
import type { TestTenant } from '../../harness/platform.js';
import { type Door, fromSomewhere, openDoor } from './door.js';
import { delegate, type Partner, partner, signedInBrowser } from './partner.js';

/** The `WWW-Authenticate` header of refusals, from which clients learn what to do. */
const door: Door = await openDoor({ OIDC_CLIENT_ID: AUDIENCE });
afterAll(() => door.close());

const DEALS = '/api/v1/sales/deals';
const ACCOUNTS = '/api/v1/sales/accounts';
const REST = ', ApiKey realm="platform", header="x-api-key"';

let tenant: TestTenant;
let claims: Claims;
let app: Partner;
beforeEach(async () => {
  tenant = await door.platform.tenant();
  ({ claims } = await door.person(tenant));
  app = await partner(door);
});

async function challengeOf(path: string, headers: Record<string, string>): Promise<[number, string | null]> {
  const answer = await door.anonymous.get(path, { ...fromSomewhere(), ...headers });
  return [answer.status, answer.headers.get('www-authenticate')];
}

async function tokenFor(scope: string): Promise<string> {
  return (await delegate(door, app, await signedInBrowser(door, claims, tenant.slug), { scope })).access_token;
}

it('asks for a credential where there is none, and says that a token is not valid', async () => {
  expect(await challengeOf(DEALS, {})).toEqual([401, `Bearer realm="platform"${REST}`]);
  const invalid = `Bearer realm="platform", error="invalid_token"${REST}`;
  expect(await challengeOf(DEALS, { authorization: 'Bearer made-up' })).toEqual([401, invalid]);
  const token = await tokenFor('deals:read');
  door.platform.clock.advance(601_000);
  expect(await challengeOf(DEALS, { authorization: `Bearer ${token}` })).toEqual([401, invalid]);
  expect(await challengeOf(DEALS, { 'x-api-key': 'made-up' })).toEqual([401, `Bearer realm="platform"${REST}`]);
});

it('names the scope that a token lacks, but not one that no token of the member could have', async () => {
  const authorization = `Bearer ${await tokenFor('deals:read')}`;
  expect(await challengeOf(ACCOUNTS, { authorization })).toEqual([
    403,
    `Bearer realm="platform", error="insufficient_scope", scope="accounts:read"${REST}`,
  ]);
  const { id } = await door.platform.member(tenant, 'Vi', ['*'], { roles: ['billing'] });
  const person = { sub: `s-${id}`, email: `${id}@example.test`, email_verified: true };
  const session = (await door.signIn(tenant, await door.issuer.token(person))).body.token;
  expect(await challengeOf('/api/admin/security/posture', { authorization: `Bearer ${session}` })).toEqual([403, null]);
  const key = await door.platform.key(tenant, ['deals:read']);
  const refused = await key.get(ACCOUNTS, fromSomewhere());
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([403, null]);
});

it('asks for a sign-in with a second factor', async () => {
  const { token } = await door.signedIn(tenant, { amr: ['pwd'] });
  const session = door.as(token);
  const protectedCall = await session.post('/api/admin/secrets', { name: 'A', value: 'b' });
  expect([protectedCall.status, protectedCall.headers.get('www-authenticate')]).toEqual([
    403,
    `Bearer realm="platform", error="insufficient_user_authentication", max_age="900"${REST}`,
  ]);
  const partnerToken = await tokenFor('deals:read');
  await tenant.api.patch('/api/admin/security/mfa', { policy: 'all' });
  for (const each of [token, partnerToken])
    expect(await challengeOf(DEALS, { authorization: `Bearer ${each}` })).toEqual([
      403,
      `Bearer realm="platform", error="insufficient_user_authentication"${REST}`,
    ]);
});
