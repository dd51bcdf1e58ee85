import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { connect, type Provider } from './scene.js';

/** Requests as OneLogin, JumpCloud and authentik send them. `Source:` facts "scim" section 2. */
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

describe('OneLogin', () => {
  it('gives addresses without a type, empty texts and a manager by name', async () => {
    const { scim } = provider;
    const oneLogin = {
      schemas: [USER, ENTERPRISE],
      userName: 'one@login.example',
      externalId: '',
      displayName: 'One Login',
      name: { givenName: 'One', familyName: 'Login', middleName: '' },
      emails: [{ value: 'one@login.example', primary: true }],
      addresses: [{ streetAddress: '1 Main St', locality: '', country: 'PT' }],
      title: '',
      [ENTERPRISE]: { department: '', manager: { displayName: 'The Boss' } },
    };
    const made = await scim.post('/Users', oneLogin);
    expect(made).toMatchObject({
      status: 201,
      body: { addresses: [{ streetAddress: '1 Main St', country: 'PT' }], emails: [{ value: 'one@login.example' }] },
    });
    for (const name of ['externalId', 'title', ENTERPRISE]) expect(made.body).not.toHaveProperty([name]);
    const path = `/Users/${String(made.body['id'])}`;
    expect(await scim.put(path, { ...oneLogin, title: 'Engineer' })).toMatchObject({
      status: 200,
      body: { title: 'Engineer', active: true },
    });
  });
});

describe('JumpCloud', () => {
  it('makes a test user and deletes it, and updates with PUT', async () => {
    const { scim } = provider;
    const jumpCloud = {
      schemas: [USER],
      userName: 'jumpcloudtest@jump.example',
      name: { familyName: 'JumpCloud', givenName: 'Test' },
      emails: [{ type: 'work', value: 'jumpcloudtest@jump.example', primary: true }],
      active: true,
    };
    const { status, body } = await scim.post('/Users', jumpCloud);
    expect(status).toBe(201);
    const path = `/Users/${String(body['id'])}`;
    expect(await scim.put(path, { ...jumpCloud, active: 'false' })).toMatchObject({
      status: 200,
      body: { active: false },
    });
    expect((await scim.delete(path)).status).toBe(204);
    expect((await scim.get(path)).status).toBe(404);
  });
});

describe('authentik', () => {
  const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/scim+json' };

  it('reads what the server offers, and sends plain JSON', async () => {
    const { scim } = provider;
    const config = await scim.get('/ServiceProviderConfig');
    expect(config).toMatchObject({
      status: 200,
      body: { patch: { supported: true }, bulk: { maxOperations: expect.any(Number) as number } },
    });
    const authentik = {
      schemas: [USER],
      id: '7',
      externalId: 'hash-7',
      userName: 'akadmin',
      displayName: 'authentik Admin',
      name: { formatted: 'authentik Admin', givenName: 'authentik', familyName: 'Admin' },
      active: true,
      emails: [{ value: 'admin@authentik.example', type: 'other', primary: true }],
    };
    const made = await scim.post('/Users', authentik, JSON_TYPE);
    expect(made).toMatchObject({ status: 201, body: { userName: 'akadmin', externalId: 'hash-7' } });
    expect(made.body['id']).not.toBe('7');
    const path = `/Users/${String(made.body['id'])}`;
    expect(await scim.put(path, { ...authentik, displayName: 'Root' }, JSON_TYPE)).toMatchObject({
      status: 200,
      body: { displayName: 'Root' },
    });
    expect(await scim.put('/Users/01890000-0000-7000-8000-000000000000', authentik, JSON_TYPE)).toMatchObject({
      status: 404,
    });
  });

  it('names people who have no address', async () => {
    const made = await provider.scim.post('/Users', { schemas: [USER], userName: 'service-account' }, JSON_TYPE);
    expect(made).toMatchObject({ status: 201, body: { userName: 'service-account', active: true } });
    expect(made.body).not.toHaveProperty('emails');
  });
});
