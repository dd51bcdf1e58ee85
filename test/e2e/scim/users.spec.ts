import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { connect, type Provider, ScimClient } from './scene.js';

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
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

it('creates a user, returns it, changes it and deletes it', async () => {
  const { scim } = provider;
  const made = await scim.post('/Users', {
    schemas: [USER, ENTERPRISE],
    userName: 'Ana@Acme.example',
    externalId: '00u1',
    name: { givenName: 'Ana', familyName: 'Silva' },
    emails: [{ value: 'ana@acme.example', type: 'work', primary: true }],
    [ENTERPRISE]: { department: 'Sales' },
  });
  expect(made).toMatchObject({
    status: 201,
    body: {
      schemas: [USER, ENTERPRISE],
      userName: 'Ana@Acme.example',
      active: true,
      [ENTERPRISE]: { department: 'Sales' },
    },
  });
  const { id, meta } = made.body as { id: string; meta: { location: string; version: string } };
  expect(made.headers.get('content-type')).toMatch(/^application\/scim\+json/);
  expect(made.headers.get('location')).toBe(meta.location);
  expect(meta.location).toBe(`${platform.url.replace('[::1]', '127.0.0.1')}/api/scim/v2/Users/${id}`);
  expect(made.headers.get('etag')).toBe('W/"1"');
  expect((await scim.get(`/Users/${id}`)).body).toEqual(made.body);
  const changed = await scim.patch(`/Users/${id}`, {
    Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
  });
  expect(changed).toMatchObject({ status: 200, body: { active: false, meta: { version: 'W/"2"' } } });
  const found = await scim.get('/Users?filter=userName+eq+"ANA@acme.example"');
  expect(found).toMatchObject({ status: 200, body: { totalResults: 1, Resources: [{ id, active: false }] } });
  expect(await scim.delete(`/Users/${id}`)).toMatchObject({ status: 204, text: '' });
  expect(await scim.get(`/Users/${id}`)).toMatchObject({ status: 404, body: { status: '404' } });
  expect(new ScimClient(platform.anonymous(), 'x').token).toBe('x');
});

/** Texts that nobody sees, in each attribute that names a user. */
const UNSEEN = ['\u200b', '\u00ad', ' ', '\u3164', '\u2800', '\u0301'];

it.each(UNSEEN)('refuses the user name %j, which nobody sees', async (userName) => {
  const { scim } = provider;
  const refused = { status: 400, body: { scimType: 'invalidValue' } };
  const user = { userName, emails: [{ value: 'ana@acme.example' }] };
  expect(await scim.post('/Users', user)).toMatchObject(refused);
  const { id } = (await scim.post('/Users', { ...user, userName: 'ana', displayName: 'Ana' })).body as { id: string };
  expect(await scim.put(`/Users/${id}`, { ...user, displayName: 'Ana' })).toMatchObject(refused);
  const change = { Operations: [{ op: 'replace', path: 'userName', value: userName }] };
  expect(await scim.patch(`/Users/${id}`, change)).toMatchObject(refused);
});

it.each(UNSEEN)('takes %j for no name and no title of a member', async (unseen) => {
  const { scim, tenant } = provider;
  const name = { formatted: unseen, givenName: unseen, familyName: unseen };
  const user = { userName: 'ana@acme.example', displayName: unseen, name, title: unseen };
  const { status, body } = await scim.post('/Users', user);
  expect([status, body]).toMatchObject([201, { title: unseen }]);
  const { data } = (await tenant.api.get<{ data: object[] }>('/api/admin/memberships?source=scim')).body;
  expect(data).toMatchObject([{ name: 'ana@acme.example', title: null }]);
  const change = { Operations: [{ op: 'replace', path: 'title', value: unseen }] };
  expect((await scim.patch(`/Users/${(body as { id: string }).id}`, change)).status).toBe(200);
});
