import { AUDITED } from '../../harness/audit.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { connect, type Provider, SCIM_PATH, ScimClient } from './scene.js';

let platform: TestPlatform;
let provider: Provider;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  provider = await connect(platform);
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it('grants access to SCIM and to no other route', async () => {
  const { token, tenant, scim } = provider;
  expect((await scim.get('/Users')).status).toBe(200);
  const ways: Record<string, string>[] = [
    { 'x-api-key': token },
    { ...bearer(token), 'x-tenant-slug': tenant.slug },
    bearer(token),
  ];
  for (const path of ['/api/admin/scim', '/api/v1/sales/deals', '/api/admin/memberships', '/api/v1/developer/usage'])
    for (const headers of ways)
      expect(await platform.anonymous().get(path, headers)).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated' },
      });
  const [entry] = await asAdmin<{ entry: string }>(
    platform.database,
    `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and action = 'auth.credential.refused' limit 1`,
    [tenant.id],
  );
  expect(JSON.parse(entry!.entry)).toMatchObject({ outcome: 'denied', reason: 'wrong_kind' });
});

it('is the only credential accepted by SCIM', async () => {
  const { token, tenant } = provider;
  const ways: Record<string, string>[] = [
    { 'x-api-key': tenant.apiKey },
    { ...bearer(tenant.apiKey), 'x-tenant-slug': tenant.slug },
    { 'x-api-key': token },
    { 'x-api-key': token, ...bearer(token) },
    { 'x-api-key': tenant.apiKey, ...bearer(token) },
    { ...bearer(token), 'x-tenant-slug': 'another-tenant' },
  ];
  for (const headers of ways)
    expect(await platform.anonymous().get(`${SCIM_PATH}/Users`, headers)).toMatchObject({
      status: 401,
      body: { status: '401' },
    });
  const named = { ...bearer(token), 'x-tenant-slug': tenant.slug };
  expect((await platform.anonymous().get(`${SCIM_PATH}/Users`, named)).status).toBe(200);
});

it('grants access to one tenant only', async () => {
  const other = await connect(platform);
  const { body } = await provider.scim.post('/Users', { userName: 'ana@acme.example', externalId: 'x1' });
  const path = `/Users/${String(body['id'])}`;
  const unknown = await other.scim.get('/Users/01890000-0000-7000-8000-000000000000');
  for (const answer of [
    await other.scim.get(path),
    await other.scim.put(path, { userName: 'eve@acme.example' }),
    await other.scim.patch(path, { Operations: [{ op: 'replace', path: 'active', value: false }] }),
    await other.scim.delete(path),
  ])
    expect({ ...answer.body, detail: '' }).toEqual({ ...unknown.body, detail: '' });
  for (const filter of [
    'userName eq "ana@acme.example"',
    'externalId eq "x1"',
    'id pr or id pr',
    `id eq "${String(body['id'])}"`,
  ])
    expect((await other.scim.get(`/Users?filter=${encodeURIComponent(filter)}`)).body['totalResults']).toBe(0);
  expect((await other.scim.post('/Users', { userName: 'ana@acme.example', externalId: 'x1' })).status).toBe(201);
  expect((await provider.scim.get(path)).body).toEqual(body);
});

it('can be rotated with and without an overlap', async () => {
  const { tenant, id, scim } = provider;
  const rotate = async (overlapHours: number) => {
    const { body } = await tenant.api.post('/api/admin/scim', { action: 'rotate_token', id, overlapHours });
    return new ScimClient(platform.anonymous(), body['token'] as string);
  };
  const second = await rotate(2);
  expect((await scim.get('/Users')).status).toBe(200);
  expect((await second.get('/Users')).status).toBe(200);
  platform.clock.advance(2 * 3_600_000);
  expect((await scim.get('/Users')).status).toBe(401);
  const third = await rotate(0);
  expect((await second.get('/Users')).status).toBe(401);
  expect((await third.get('/Users')).status).toBe(200);
});

it('is rejected while the configuration is disabled, and permanently once it is deleted', async () => {
  const { tenant, id, scim } = provider;
  await tenant.api.post('/api/admin/scim', { action: 'disable', id });
  expect(await scim.get('/Users')).toMatchObject({ status: 403, body: { status: '403' } });
  await tenant.api.post('/api/admin/scim', { action: 'enable', id });
  expect((await scim.get('/Users')).status).toBe(200);
  await tenant.api.delete(`/api/admin/scim/${id}`);
  expect((await scim.get('/Users')).status).toBe(401);
});

describe('the limit of a configuration', () => {
  const ask = (scim: ScimClient, times: number) =>
    Promise.all(Array.from({ length: times }, () => scim.get('/ServiceProviderConfig')));
  const allowed = (answers: { status: number }[]) => answers.filter(({ status }) => status === 200).length;

  it('is a burst of a hundred requests and 25 a second, and rejections state whole seconds', () =>
    platform.clock.standStill(async () => {
      const { scim } = provider;
      const answers = await ask(scim, 120);
      expect(allowed(answers)).toBe(100);
      for (const { status, body, headers } of answers.filter((answer) => answer.status !== 200)) {
        expect({ status, body }).toMatchObject({ status: 429, body: { status: '429' } });
        expect(body['detail']).toMatch(/100 requests at once, and 25 a second/);
        expect(headers.get('retry-after')).toBe('1');
      }
      platform.clock.advance(1_000);
      expect(allowed(await ask(scim, 40))).toBe(25);
      platform.clock.advance(39);
      expect(allowed(await ask(scim, 2))).toBe(0);
      platform.clock.advance(1);
      expect(allowed(await ask(scim, 2))).toBe(1);
      for (let second = 0; second < 8; second++) {
        platform.clock.advance(1_000);
        expect(allowed(await ask(scim, 25))).toBe(25); // for any duration
      }
      platform.clock.advance(60_000);
      expect(allowed(await ask(scim, 120))).toBe(100);
    }));

  it('is reported in the headers', () =>
    platform.clock.standStill(async () => {
      const [{ headers }] = (await ask(provider.scim, 1)) as [Awaited<ReturnType<ScimClient['get']>>];
      expect(headers.get('ratelimit-policy')).toBe('"scim";q=100;w=4');
      expect(headers.get('ratelimit')).toBe('"scim";r=99;t=1');
    }));

  it('is independent of the plan, and separate for each configuration', () =>
    platform.clock.standStill(async () => {
      const { scim, tenant } = provider;
      await ask(scim, 101);
      expect((await tenant.api.get('/api/v1/sales/deals')).headers.get('ratelimit')).toMatch(/^"read";r=59999;/);
      const other = await connect(platform, {}, tenant);
      expect((await other.scim.get('/Users')).status).toBe(200);
      expect((await scim.get('/Users')).status).toBe(429);
    }));
});
