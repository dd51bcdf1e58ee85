import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { connect, type Provider } from './scene.js';

/** Requests as OneLogin, JumpCloud, authentik and plug-ins of Keycloak and WSO2 send them. */
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

const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

interface Group {
  id: string;
  displayName: string;
  members?: { value: string }[];
}

/** Users and a group with them, and calls on that group. */
async function groupOfThree({ scim }: Provider) {
  const ids: string[] = [];
  for (const name of ['ana', 'bo', 'cy']) {
    const { body } = await scim.post('/Users', { schemas: [USER], userName: `${name}@acme.example` });
    ids.push(String(body['id']));
  }
  const made = await scim.post<Group>('/Groups', {
    schemas: [GROUP],
    displayName: 'Sales',
    members: ids.map((value) => ({ value })),
  });
  const path = `/Groups/${made.body.id}`;
  const patch = async (...Operations: object[]) => (await scim.patch(path, { Operations })).status;
  const get = async () => (await scim.get<Group>(path)).body;
  const members = async () => ((await get()).members ?? []).map(({ value }) => value);
  return { ids: ids as [string, string, string], path, patch, get, members };
}

describe('OneLogin', () => {
  it('sends addresses without a type, empty strings and a manager by name', async () => {
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
  it('creates a test group and deletes it, and removes members by value', async () => {
    const { ids, path, patch, members } = await groupOfThree(provider);
    const [ana, bo, cy] = ids;
    expect(await patch({ op: 'remove', path: 'members', value: [{ value: ana }] })).toBe(204);
    expect(await members()).toEqual([bo, cy]);
    expect((await provider.scim.delete(path)).status).toBe(204);
    expect((await provider.scim.get(path)).status).toBe(404);
    // Its former members still exist.
    expect((await provider.scim.get(`/Users/${bo}`)).status).toBe(200);
  });

  it('creates a test user and deletes it, and updates with PUT', async () => {
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

  it('reads the service provider configuration, and sends plain JSON', async () => {
    const { scim } = provider;
    const config = await scim.get('/ServiceProviderConfig');
    expect(config).toMatchObject({
      status: 200,
      body: { patch: { supported: true } },
    });
    // It sends that many operations in one PATCH.
    const { maxOperations } = config.body['bulk'] as { maxOperations: number };
    expect(Number.isInteger(maxOperations) && maxOperations >= 100).toBe(true);
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

  it('accepts names of people who have no address', async () => {
    const made = await provider.scim.post('/Users', { schemas: [USER], userName: 'service-account' }, JSON_TYPE);
    expect(made).toMatchObject({ status: 201, body: { userName: 'service-account', active: true } });
    expect(made.body).not.toHaveProperty('emails');
  });
});

describe('authentik with groups', () => {
  it('sends an operation for each member, and reads members to compare them', async () => {
    const { ids, patch, members } = await groupOfThree(provider);
    const [ana, bo, cy] = ids;
    const one = (op: string, value: string) => ({ op, path: 'members', value: [{ value }] });
    expect(await patch(one('remove', ana), one('remove', bo), one('add', bo), one('add', cy), one('remove', cy))).toBe(
      204,
    );
    expect(await members()).toEqual([bo]);
  });

  it('renames without a path, and omits the members, who stay', async () => {
    const { ids, patch, get } = await groupOfThree(provider);
    expect(await patch({ op: 'replace', value: { schemas: [GROUP], displayName: 'Sellers', externalId: 'g7' } })).toBe(
      204,
    );
    expect(await get()).toMatchObject({ displayName: 'Sellers', members: ids.map((value) => ({ value })) });
  });
});

describe('plug-ins of Keycloak and WSO2', () => {
  it('add members without a path, and remove them by value and type', async () => {
    const { ids, patch, members } = await groupOfThree(provider);
    const [ana, bo, cy] = ids;
    expect(await patch({ op: 'remove', path: `members[value eq "${ana}" and type eq "User"]` })).toBe(204);
    expect(await members()).toEqual([bo, cy]);
    expect(await patch({ op: 'add', value: { members: [{ value: ana, type: 'User' }] } })).toBe(204);
    expect((await members()).sort()).toEqual([...ids].sort());
  });
});

it('remove the given members and never all of a group, however they are given', async () => {
  const { ids, patch, members } = await groupOfThree(provider);
  const [ana, bo, cy] = ids;
  expect(await patch({ op: 'remove', path: 'members', value: { members: [{ value: ana }] } })).toBe(204);
  expect(await members()).toEqual([bo, cy]);
  for (const value of [null, [{ display: 'Bo' }], [{}], {}, [null], 7, ''])
    expect(await patch({ op: 'remove', path: 'members', value })).toBe(400);
  expect(await members()).toEqual([bo, cy]);
});
