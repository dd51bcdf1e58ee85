import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { connect, type Provider } from './scene.js';

/** Requests as Okta sends them. */
let platform: TestPlatform;
let provider: Provider;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  provider = await connect(platform);
});

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const oktaUser = (name: string, more: object = {}) => ({
  schemas: [USER],
  userName: `${name}@okta.example`,
  name: { givenName: name, familyName: 'Okta' },
  emails: [{ primary: true, value: `${name}@okta.example`, type: 'work' }],
  displayName: `${name} Okta`,
  locale: 'en-US',
  externalId: `00u-${name}`,
  groups: [],
  password: '1mz050nq',
  active: true,
  ...more,
});

it('looks up a user, creates it, and never shows or stores the password', async () => {
  const { scim, tenant } = provider;
  const path = '/Users?filter=userName%20eq%20%22test%40okta.example%22&startIndex=1&count=100';
  expect(await scim.get(path)).toMatchObject({ status: 200, body: { totalResults: 0, startIndex: 1 } });
  const made = await scim.post('/Users', oktaUser('test'));
  expect(made).toMatchObject({ status: 201, body: { locale: 'en-US', externalId: '00u-test' } });
  expect(made.text).not.toMatch(/password|1mz050nq/);
  expect(made.body).not.toHaveProperty('groups');
  const text = `select data::text || keys::text as kept from data.scim_users where tenant_id = $1`;
  const rows = await asAdmin<{ kept: string }>(platform.database, text, [tenant.id]);
  expect(rows.map(({ kept }) => kept).join()).not.toContain('1mz050nq');
  expect((await scim.get(path)).body['totalResults']).toBe(1);
});

it('writes back what it read', async () => {
  const { scim } = provider;
  const { body } = await scim.post('/Users', oktaUser('test'));
  const path = `/Users/${String(body['id'])}`;
  const again = await scim.put(path, body);
  expect(again).toMatchObject({ status: 200 });
  expect(again.body).toEqual(body);
  const renamed = await scim.put(path, { ...body, displayName: 'Someone', nickName: undefined, locale: undefined });
  expect(renamed).toMatchObject({ status: 200, body: { displayName: 'Someone', meta: { version: 'W/"2"' } } });
  expect(renamed.body).not.toHaveProperty('locale');
});

it('deactivates without a path or by PUT, and reactivates', async () => {
  const { scim } = provider;
  const { body } = await scim.post('/Users', oktaUser('test'));
  const path = `/Users/${String(body['id'])}`;
  const set = (active: boolean) =>
    scim.patch(path, { schemas: [PATCH_OP], Operations: [{ op: 'replace', value: { active } }] });
  expect(await set(false)).toMatchObject({ status: 200, body: { active: false } });
  expect(await set(true)).toMatchObject({ status: 200, body: { active: true } });
  expect(await scim.put(path, { ...body, active: false })).toMatchObject({ status: 200, body: { active: false } });
  const kept = await scim.put(path, { ...body, active: undefined, title: 'Lead' });
  expect(kept).toMatchObject({ status: 200, body: { active: false, title: 'Lead' } });
});

it('restores a user who is assigned again: same name, previous id', async () => {
  const { scim } = provider;
  const { body } = await scim.post('/Users', oktaUser('test'));
  const id = body['id'] as string;
  const taken = await scim.post('/Users', oktaUser('test'));
  expect(taken).toMatchObject({ status: 409, body: { status: '409', scimType: 'uniqueness' } });
  expect((await scim.get(`/Users/${id}`)).body).toEqual(body);
  await scim.patch(`/Users/${id}`, { Operations: [{ op: 'replace', value: { active: false } }] });
  const other = await scim.post('/Users', oktaUser('test', { externalId: '00u-somebody-else' }));
  expect(other).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
  const back = await scim.post('/Users', oktaUser('test', { title: 'Back' }));
  expect(back).toMatchObject({ status: 201, body: { id, active: true, title: 'Back' } });
  expect(back.headers.get('location')).toMatch(new RegExp(`/Users/${id}$`));
});

it('imports in pages of a hundred', async () => {
  const { scim } = provider;
  for (const name of ['a', 'b', 'c']) await scim.post('/Users', oktaUser(name));
  const { body } = await scim.get('/Users?startIndex=1&count=100');
  expect(body).toMatchObject({ totalResults: 3, itemsPerPage: 3, startIndex: 1 });
  expect((await scim.get('/Users?startIndex=101&count=100')).body).toMatchObject({
    totalResults: 3,
    itemsPerPage: 0,
    Resources: [],
  });
});
