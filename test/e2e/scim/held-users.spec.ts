import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { RETENTION } from '../admin/retention-stage.js';
import { connect, type Provider } from './scene.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const MEMBERSHIPS = '/api/admin/memberships';

/** A provider, a user of it, and a hold that names the user. */
async function held(): Promise<Provider & { userId: string; holdId: string }> {
  const provider = await connect(platform);
  const user = { userName: 'ada@acme.example', emails: [{ value: 'ada@acme.example' }], active: true };
  const created = await provider.scim.post<{ id: string }>('/Users', user);
  expect(created.status).toBe(201);
  const scope = { membershipIds: [created.body.id] };
  const body = { action: 'place_hold', name: 'Dispute', reason: 'Lawsuit', scope };
  const hold = await provider.tenant.api.post<{ id: string }>(RETENTION, body);
  expect(hold.status).toBe(200);
  return { ...provider, userId: created.body.id, holdId: hold.body.id };
}

test('a user under a legal hold loses all access when the provider deletes them, and stays until the release', async () => {
  const { scim, tenant, userId, holdId } = await held();
  expect(await scim.delete(`/Users/${userId}`)).toMatchObject({ status: 204, text: '' });
  expect((await scim.get(`/Users/${userId}`)).status).toBe(404);
  expect((await scim.delete(`/Users/${userId}`)).status).toBe(404);
  expect((await scim.get('/Users?filter=userName%20eq%20%22ada@acme.example%22')).body).toMatchObject({
    totalResults: 0,
  });
  const member = `${MEMBERSHIPS}/${userId}`;
  expect(await tenant.api.get(member)).toMatchObject({ status: 200, body: { status: 'suspended' } });
  const other = { action: 'place_hold', name: 'Audit', reason: 'Tax', scope: { membershipIds: [userId] } };
  const second = await tenant.api.post<{ id: string }>(RETENTION, other);
  expect(second.status).toBe(200);
  const release = (id: string) => tenant.api.post(RETENTION, { action: 'release_hold', id, reason: 'Settled' });
  expect((await release(holdId)).status).toBe(200);
  expect((await tenant.api.get(member)).status).toBe(200);
  expect((await release(second.body.id)).status).toBe(200);
  expect((await tenant.api.get(member)).status).toBe(404);
  expect((await scim.post('/Users', { userName: 'ada@acme.example' })).status).toBe(201);
});

test('a provider lets a user in again during the hold', async () => {
  const { scim, tenant, userId, holdId } = await held();
  expect((await scim.delete(`/Users/${userId}`)).status).toBe(204);
  const back = await scim.post('/Users', { userName: 'ADA@acme.example', active: true });
  expect(back).toMatchObject({ status: 201, body: { id: userId, active: true } });
  expect(await tenant.api.get(`${MEMBERSHIPS}/${userId}`)).toMatchObject({ body: { status: 'active' } });
  const body = { action: 'release_hold', id: holdId, reason: 'Settled' };
  expect((await tenant.api.post(RETENTION, body)).status).toBe(200);
  expect((await scim.get(`/Users/${userId}`)).status).toBe(200);
});

test('a provider lets a member in again whom it had deleted without ever changing them', async () => {
  const { scim, tenant } = await connect(platform);
  const { id } = await platform.member(tenant, 'Old Hand', ['*'], { roles: ['member'] });
  const hold = { action: 'place_hold', name: 'Dispute', reason: 'Lawsuit', scope: { membershipIds: [id] } };
  expect((await tenant.api.post(RETENTION, hold)).status).toBe(200);
  const { userName } = (await scim.get<{ userName: string }>(`/Users/${id}`)).body;
  expect((await scim.post('/Users', { userName })).status).toBe(409);
  expect((await scim.delete(`/Users/${id}`)).status).toBe(204);
  expect(await scim.post('/Users', { userName })).toMatchObject({ status: 201, body: { id, active: true } });
  expect(await tenant.api.get(`${MEMBERSHIPS}/${id}`)).toMatchObject({ body: { status: 'active' } });
});
