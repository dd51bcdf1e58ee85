import { AUDITED } from '../../harness/audit.js';
import { Browser } from '../../harness/browser.js';
import { AUDIENCE, type Claims } from '../../harness/issuer.js';
import { startPlatform } from '../../harness/platform.js';
import { newSlug, operatorOf } from '../../cli/operator.js';
import { type Door, fromSomewhere, openDoor } from '../auth/door.js';
import { visitsOf } from '../auth/visits.js';

type Json = Record<string, unknown>;

/** Signed-in people without a membership. */
const door: Door = await openDoor({ OIDC_CLIENT_ID: AUDIENCE, SELF_SERVICE_TENANTS: '2' });
afterAll(() => door.close());

const { url } = door.platform;
const { signIn } = visitsOf(door);
const START = '/api/bootstrap';
const TENANTS = `${START}/tenants`;
const wantedOf = (more: Json = {}) => ({ name: 'Acme Inc.', slug: newSlug(), plan: 'starter', ...more });

let count = 0;
const newcomer = (): Claims => {
  const sub = `newcomer-${++count}-${process.pid}`;
  return { sub, email: `${sub}@Example.com`, email_verified: true, name: 'Nora New' };
};

/** Token of a session without a tenant. */
async function arrive(claims: Claims = newcomer()): Promise<string> {
  const browser = new Browser(fromSomewhere());
  expect((await signIn(browser, claims)).status).toBe(303);
  return browser.cookie(url, 'session')!;
}

describe('the bootstrap document without a tenant', () => {
  it('contains the person and no tenant data', async () => {
    const claims = newcomer();
    const { status, body, headers } = await door.as(await arrive(claims)).get<Json>(START);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        session: { membershipId: null },
        user: { name: 'Nora New', email: claims['email'] },
        server: { version: '1.0.0' },
      },
    });
    const nothing = { membership: null, tenant: null, limits: null, settings: null, counts: null };
    expect(body).toMatchObject({ ...nothing, tenants: [], workspaces: [], roles: [], permissions: [], areas: [] });
    expect(headers.get('etag')).toMatch(/^"\d+"$/);
  });

  it('lists the tenants to select, by name and slug only', async () => {
    const [one, two] = [await door.platform.tenant(), await door.platform.tenant()];
    const { claims } = await door.person(one);
    await door.sql(
      `insert into data.memberships (tenant_id, id, email, name, status, created_at)
       values ($1, gen_random_uuid(), $2, 'Ana', 'active', now())`,
      [two.id, claims['email']],
    );
    const both = [one, two].map(({ slug }) => ({ slug, name: slug })).sort((a, b) => (a.slug < b.slug ? -1 : 1));
    const api = door.as(await arrive(claims));
    const { headers, body } = await api.get<Json>(START);
    expect(body['tenants']).toEqual(both);
    expect((await api.get(START, { 'if-none-match': headers.get('etag')! })).status).toBe(304);
    const { token } = (await api.post<Json>('/api/auth/switch-tenant', { tenantSlug: one.slug })).body;
    const inside = await door.as(String(token)).get<Json>(`${START}?fields=tenants,tenant`);
    expect(inside.body).toMatchObject({ tenants: both, tenant: { slug: one.slug } });
    expect((await one.api.get<Json>(START)).body['tenants']).toEqual([]);
  });

  it('gives access to nothing else', async () => {
    const api = door.as(await arrive());
    for (const path of ['/api/settings/tenant', '/api/v1/sales/deals', '/api/home/approvals', '/api/admin/roles'])
      expect(await api.get(path)).toMatchObject({ status: 403, body: { code: 'tenant_required' } });
    expect((await api.get('/api/invitations/mine')).status).toBe(200);
    expect((await door.anonymous.get(START, fromSomewhere())).status).toBe(401);
  });
});

describe('creating a tenant for oneself', () => {
  it('makes the person its owner, who can then switch to it', async () => {
    const claims = newcomer();
    const api = door.as(await arrive(claims));
    const wanted = wantedOf({ currency: 'EUR', locale: 'de-AT', timezone: 'Europe/Vienna' });
    const answer = await api.post<Json>(TENANTS, wanted);
    expect(answer).toMatchObject({ status: 201, body: { slug: wanted.slug, created: true, plan: 'starter' } });
    const { token } = (await api.post<Json>('/api/auth/switch-tenant', { tenantSlug: wanted.slug })).body;
    const { body } = await door.as(String(token)).get<Json>(START);
    expect(body).toMatchObject({
      user: { name: 'Nora New', email: claims['email'] },
      roles: [{ key: 'owner', name: 'Owner' }],
      workspaces: [{ name: 'General', role: 'lead' }],
      tenants: [{ slug: wanted.slug, name: 'Acme Inc.' }],
      settings: { currency: 'EUR', locale: 'de-AT' },
    });
    const [entry] = await door.sql<{ entry: string }>(
      `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and action = 'core.tenant.created'`,
      [answer.body['id']],
    );
    const { id } = body['membership'] as Json;
    expect(JSON.parse(entry!.entry)).toMatchObject({ actor: { type: 'member', id, name: 'Nora New' } });
  });

  it('happens once per slug, also for concurrent requests, and only for its creator', async () => {
    const api = door.as(await arrive());
    const wanted = wantedOf();
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.post<Json>(TENANTS, wanted)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1);
    const again = await api.post<Json>(TENANTS, { ...wanted, name: 'Other' });
    expect(again).toMatchObject({ status: 200, body: { name: 'Acme Inc.', created: false } });
    expect(again.headers.get('location')).toBeNull();
    const stranger = door.as(await arrive());
    expect(await stranger.post(TENANTS, wanted)).toMatchObject({ status: 409, body: { code: 'slug_taken' } });
    await door.sql(`update data.memberships set status = 'suspended', version = version + 1 where tenant_id = $1`, [
      answers[0]!.body['id'],
    ]);
    expect(await api.post(TENANTS, wanted)).toMatchObject({ status: 409, body: { code: 'slug_taken' } });
  });

  it('replays its response for an idempotency key', async () => {
    const api = door.as(await arrive());
    const wanted = wantedOf();
    const keyed = () => api.post<Json>(TENANTS, wanted, { 'idempotency-key': 'one' });
    const [first, second] = [await keyed(), await keyed()];
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is limited per person, also for concurrent requests, and rolls back what exceeds the limit', async () => {
    const claims = newcomer();
    const api = door.as(await arrive(claims));
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.post<Json>(TENANTS, wantedOf())));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'limit_reached' });
    const [row] = await door.sql<{ n: number }>(
      `select count(*)::integer as n from data.memberships where lower(email) = lower($1)`,
      [claims['email']],
    );
    expect(row).toEqual({ n: 2 });
    await door.sql(`update directory.tenants set closes_at = now(), closed_at = now() where id = $1`, [
      answers.find(({ status }) => status === 201)!.body['id'],
    ]);
    expect((await api.post(TENANTS, wantedOf())).status).toBe(201);
  });

  it('accepts only their verified address and an allowed plan', async () => {
    const refused = { status: 403, body: { code: 'permission_denied' } };
    const api = door.as(await arrive());
    expect(await api.post(TENANTS, wantedOf({ ownerEmail: 'ceo@acme.example' }))).toMatchObject(refused);
    expect(await api.post(TENANTS, wantedOf({ plan: 'enterprise' }))).toMatchObject(refused);
    const claims = newcomer();
    const own = { ownerEmail: String(claims['email']).toUpperCase() };
    expect((await door.as(await arrive(claims)).post(TENANTS, wantedOf(own))).status).toBe(201);
    const nobody = door.as(await arrive({ ...newcomer(), email_verified: false }));
    expect(await nobody.post(TENANTS, wantedOf())).toMatchObject(refused);
  });

  it('rejects sessions with a tenant and requests from other sites', async () => {
    const tenant = await door.platform.tenant();
    const { token } = await door.signedIn(tenant);
    expect(await door.as(token).post(TENANTS, wantedOf())).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
    const cookie = `session=${await arrive()}`;
    const send = (headers: Record<string, string>) =>
      door.anonymous.post(TENANTS, wantedOf(), { ...fromSomewhere(), cookie, ...headers });
    expect(await send({ 'sec-fetch-site': 'cross-site' })).toMatchObject({
      status: 403,
      body: { code: 'csrf_refused' },
    });
    expect((await send({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
  });

  it('requires a valid session', async () => {
    const api = door.as(await arrive());
    await api.post('/api/auth/logout');
    expect(await api.post(TENANTS, wantedOf())).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  it('requires operators to name an owner', async () => {
    const { json } = operatorOf(door.platform.database.settings);
    const { operatorKey } = await json('operator-key', 'create', '--name', 'Desk');
    const answer = await door.as(String(operatorKey)).post<Json>(TENANTS, wantedOf());
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/ownerEmail', code: 'required' }] } });
  });
});

it('is limited to operators if no plan is allowed for people', async () => {
  const { database } = door.platform;
  const closed = await startPlatform({
    shared: { ...database, settings: { ...database.settings, SELF_SERVICE_PLANS: [] } },
  });
  try {
    const headers = { ...fromSomewhere(), authorization: `Bearer ${await arrive()}` };
    const answer = await closed.anonymous().post<Json>(TENANTS, wantedOf(), headers);
    expect(answer).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  } finally {
    await closed.close();
  }
});
