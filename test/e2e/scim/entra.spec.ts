import { randomUUID } from 'node:crypto';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { connect, type Provider } from './scene.js';

/** Requests as Microsoft Entra ID sends them. */
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
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const entraUser = (name: string, more: object = {}) => ({
  schemas: [USER, ENTERPRISE],
  externalId: `${name}-oid`,
  userName: `${name}@contoso.example`,
  active: true,
  addresses: null,
  displayName: `${name} Lee`,
  emails: [{ primary: true, type: 'work', value: `${name}@contoso.example` }],
  meta: { resourceType: 'User' },
  name: { formatted: `${name} Lee`, familyName: 'Lee', givenName: name },
  roles: [],
  title: null,
  ...more,
});

async function add(name: string, more: object = {}): Promise<string> {
  const { status, body, text } = await provider.scim.post('/Users', entraUser(name, more));
  if (status !== 201) throw new Error(text);
  return body['id'] as string;
}

const patch = (id: string, ...Operations: object[]) =>
  provider.scim.patch(`/Users/${id}`, { schemas: [PATCH_OP], Operations });

it('tests the connection with an unknown name', async () => {
  const path = `/Users?filter=userName+eq+%22${randomUUID()}%22`;
  const answer = await provider.scim.get(path, { 'user-agent': '' });
  expect(answer).toMatchObject({
    status: 200,
    body: { totalResults: 0, itemsPerPage: 0, startIndex: 1, Resources: [] },
  });
});

it('matches users, including existing members', async () => {
  const { id: member } = await platform.member(provider.tenant, 'Old Hand');
  const id = await add('kim');
  for (const filter of [
    'userName eq "KIM@contoso.example"',
    'externalId eq "kim-oid"',
    'emails[type eq "work"].value eq "kim@contoso.example"',
    'emails[type eq "work" and primary eq "True"].value eq "Kim@contoso.example"',
    `id eq "${id}" and userName eq "kim@contoso.example"`,
  ]) {
    const { body } = await provider.scim.get(`/Users/?filter=${encodeURIComponent(filter)}`);
    expect([filter, body['totalResults']]).toEqual([filter, 1]);
    expect(body['Resources']).toMatchObject([{ id }]);
  }
  const old = await provider.scim.get(`/users?filter=${encodeURIComponent(`userName eq "${member}@example.test"`)}`);
  expect(old.body).toMatchObject({
    totalResults: 1,
    Resources: [{ id: member, active: true, displayName: 'Old Hand' }],
  });
  expect((await provider.scim.get('/Users?filter=externalId+eq+%22KIM-OID%22')).body['totalResults']).toBe(0);
});

it('disables and enables with capitalised operations and booleans as strings', async () => {
  const id = await add('kim');
  expect(await patch(id, { op: 'Replace', path: 'active', value: 'False' })).toMatchObject({
    status: 200,
    body: { active: false },
  });
  expect((await provider.scim.get(`/Users?filter=active+eq+false`)).body['totalResults']).toBe(1);
  expect(await patch(id, { op: 'Add', path: 'Active', value: 'True' })).toMatchObject({ body: { active: true } });
});

it('adds a list element when setting one of its values', async () => {
  const id = await add('kim', { emails: undefined });
  const { status, body } = await patch(
    id,
    { op: 'Add', path: 'emails[type eq "work"].value', value: 'kim@new.example' },
    { op: 'Add', path: 'emails[type eq "work"].primary', value: true },
    { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555 0100' },
    { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Lisbon' },
    { op: 'Replace', path: `${ENTERPRISE}:department`, value: 'Sales' },
    { op: 'Replace', path: 'name.familyName', value: 'Li' },
    { op: 'Replace', path: 'roles[primary eq "True"].value', value: 'Approver' },
  );
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      emails: [{ type: 'work', value: 'kim@new.example', primary: true }],
      phoneNumbers: [{ type: 'mobile', value: '+1 555 0100' }],
      addresses: [{ type: 'work', locality: 'Lisbon' }],
      name: { familyName: 'Li', givenName: 'kim' },
      roles: [{ primary: true, value: 'Approver' }],
      [ENTERPRISE]: { department: 'Sales' },
    },
  });
  const found = await provider.scim.get(`/Users?filter=${encodeURIComponent('emails.value eq "KIM@NEW.example"')}`);
  expect(found.body['totalResults']).toBe(1);
});

it('accepts replace without a path with dotted and URN keys, as with the flag aadOptscim062020', async () => {
  const id = await add('kim');
  const { body } = await patch(id, {
    op: 'replace',
    value: {
      displayName: 'Kim L.',
      'name.givenName': 'Kimberly',
      [`${ENTERPRISE}:employeeNumber`]: '4711',
      active: false,
    },
  });
  expect(body).toMatchObject({
    displayName: 'Kim L.',
    name: { givenName: 'Kimberly', familyName: 'Lee' },
    [ENTERPRISE]: { employeeNumber: '4711' },
    active: false,
  });
});

it('sets, changes and removes a manager in every form', async () => {
  const [boss, other, id] = [await add('boss'), await add('other'), await add('kim')];
  const managerOf = (body: Record<string, unknown>) => (body[ENTERPRISE] as { manager?: object } | undefined)?.manager;
  const path = `${ENTERPRISE}:manager`;
  for (const [value, manager] of [
    [boss, { value: boss }],
    [{ value: other }, { value: other }],
    [[{ value: boss }], { value: boss }],
    ['', undefined],
    [other, { value: other }],
    [null, undefined],
  ] as const)
    expect(managerOf((await patch(id, { op: 'Replace', path, value })).body)).toEqual(manager);
  await patch(id, { op: 'Add', path, value: boss });
  const asked = encodeURIComponent(`id eq "${id}" and manager eq "${boss}"`);
  expect((await provider.scim.get(`/Users?filter=${asked}&attributes=id`)).body).toMatchObject({
    totalResults: 1,
    Resources: [{ id }],
  });
});

it('clears in two phases, with an empty string and with null', async () => {
  const id = await add('kim', {
    title: 'Boss',
    nickName: 'K',
    [ENTERPRISE]: { department: 'Sales', division: 'West' },
  });
  expect((await patch(id, { op: 'Replace', path: 'title', value: '' })).body).not.toHaveProperty('title');
  const { body } = await patch(
    id,
    { op: 'Replace', path: 'nickName', value: null },
    { op: 'Replace', path: `${ENTERPRISE}:department`, value: '' },
  );
  expect(body).not.toHaveProperty('nickName');
  expect(body[ENTERPRISE]).toEqual({ division: 'West' });
});

it('merges a complex attribute', async () => {
  const id = await add('kim');
  const { body } = await patch(id, { op: 'Replace', path: 'name', value: { familyName: 'Park' } });
  expect(body['name']).toEqual({ formatted: 'kim Lee', familyName: 'Park', givenName: 'kim' });
});

it('paginates by five in a stable order', async () => {
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) ids.push(await add(name));
  const page = async (startIndex: number) =>
    (await provider.scim.get<{ Resources: { id: string }[] }>(`/Users?startIndex=${startIndex}&count=5`)).body;
  const [first, second] = [await page(1), await page(6)];
  expect(first).toMatchObject({ totalResults: 7, startIndex: 1, itemsPerPage: 5 });
  expect(second).toMatchObject({ totalResults: 7, startIndex: 6, itemsPerPage: 2 });
  expect([...first.Resources, ...second.Resources].map(({ id }) => id)).toEqual(ids);
});

it('deletes permanently, with a content type and no body, and releases the name', async () => {
  const id = await add('kim');
  expect(await provider.scim.delete(`/Users/${id}`)).toMatchObject({ status: 204 });
  for (const answer of [
    await provider.scim.get(`/Users/${id}`),
    await patch(id, { op: 'Replace', path: 'active', value: true }),
    await provider.scim.delete(`/Users/${id}`),
  ])
    expect(answer).toMatchObject({ status: 404, body: { status: '404' } });
  expect(await add('kim')).not.toBe(id);
});
