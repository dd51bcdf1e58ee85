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

it('opens SCIM and no other route', async () => {
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
    `select entry from data.audit_log where tenant_id = $1 and action = 'auth.credential.refused' limit 1`,
    [tenant.id],
  );
  expect(JSON.parse(entry!.entry)).toMatchObject({ outcome: 'denied', reason: 'wrong_kind' });
});

it('is the only credential that opens SCIM', async () => {
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

it('sees its own tenant and no other', async () => {
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

it('is rotated with an overlap, and without one', async () => {
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

it('is refused while the configuration is disabled, and for good once it is deleted', async () => {
  const { tenant, id, scim } = provider;
  await tenant.api.post('/api/admin/scim', { action: 'disable', id });
  expect(await scim.get('/Users')).toMatchObject({ status: 403, body: { status: '403' } });
  await tenant.api.post('/api/admin/scim', { action: 'enable', id });
  expect((await scim.get('/Users')).status).toBe(200);
  await tenant.api.delete(`/api/admin/scim/${id}`);
  expect((await scim.get('/Users')).status).toBe(401);
});

it('may make a hundred requests at once, and then waits whole seconds', async () => {
  const { scim, tenant } = provider;
  const answers = await Promise.all(Array.from({ length: 300 }, () => scim.get('/ServiceProviderConfig')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(100);
  expect(refused.length).toBeGreaterThan(0);
  for (const { body, headers } of refused) {
    expect(body).toMatchObject({ status: '429', detail: expect.stringMatching(/100 scim requests/) as string });
    expect(headers.get('retry-after')).toMatch(/^[1-4]$/);
  }
  expect((await tenant.api.get('/api/v1/sales/deals')).headers.get('ratelimit')).toMatch(/^"read";r=59999;/);
  const other = await connect(platform, {}, tenant);
  expect((await other.scim.get('/Users')).status).toBe(200);
  platform.clock.advance(4_000);
  expect((await scim.get('/Users')).status).toBe(200);
});
