import { until } from '#libs/testing/until.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { connect, type Provider } from './scene.js';

/** The effect of provider calls on the memberships of the tenant. */
let platform: TestPlatform;
let provider: Provider;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  provider = await connect(platform);
});

const MANAGER = '00000000-0000-7000-8000-000000000003';

interface Membership {
  status: string;
  source: string;
  email: string;
  name: string;
  title: string | null;
}

const membership = async (id: string) => {
  const text = `select status, source, email, name, title, deleted_at is not null as deleted
    from data.memberships where tenant_id = $1 and id = $2`;
  const [row] = await asAdmin<Membership & { deleted: boolean }>(platform.database, text, [provider.tenant.id, id]);
  return row;
};

const rolesOf = async (id: string) => {
  const text = `select role_id, source from data.role_assignments where tenant_id = $1 and membership_id = $2 order by 1, 2`;
  return (await asAdmin<{ role_id: string; source: string }>(platform.database, text, [provider.tenant.id, id])).map(
    ({ role_id, source }) => `${role_id} ${source}`,
  );
};

async function add(userName: string, more: object = {}): Promise<string> {
  const { status, body, text } = await provider.scim.post('/Users', { userName, ...more });
  if (status !== 201) throw new Error(text);
  return body['id'] as string;
}

const setActive = (id: string, active: boolean) =>
  provider.scim.patch(`/Users/${id}`, { Operations: [{ op: 'replace', path: 'active', value: active }] });

it('creates members with the roles of the configuration', async () => {
  const { tenant, id: configId } = provider;
  const change = { action: 'update', id: configId, defaultRoleIds: [MANAGER] };
  expect((await tenant.api.post('/api/admin/scim', change)).status).toBe(200);
  const id = await add('ana@acme.example', { displayName: 'Ana Silva', title: 'Lead' });
  expect(await membership(id)).toEqual({
    status: 'active',
    source: 'scim',
    email: 'ana@acme.example',
    name: 'Ana Silva',
    title: 'Lead',
    deleted: false,
  });
  expect(await rolesOf(id)).toEqual([`${MANAGER} scim:${configId}`]);
  const api = await platform.key(tenant, ['*'], { memberId: id });
  expect((await api.get('/api/v1/sales/deals')).status).toBe(200);
});

it('deactivates a member from the next request, and reactivates them', async () => {
  const { tenant } = provider;
  const id = await add('ana@acme.example');
  const api = await platform.key(tenant, ['*'], { memberId: id });
  expect((await api.get('/api/v1/sales/deals')).status).toBe(200);
  expect((await setActive(id, false)).status).toBe(200);
  expect((await api.get('/api/v1/sales/deals')).status).toBe(401);
  expect(await membership(id)).toMatchObject({ status: 'suspended' });
  expect((await setActive(id, true)).status).toBe(200);
  expect((await api.get('/api/v1/sales/deals')).status).toBe(200);
});

it('revokes keys permanently if configured', async () => {
  const { tenant, id: configId } = provider;
  await tenant.api.post('/api/admin/scim', { action: 'update', id: configId, deprovisionAction: 'deactivate' });
  const id = await add('ana@acme.example');
  const api = await platform.key(tenant, ['*'], { memberId: id });
  await setActive(id, false);
  expect(await membership(id)).toMatchObject({ status: 'deactivated' });
  await setActive(id, true);
  expect(await membership(id)).toMatchObject({ status: 'active' });
  expect((await api.get('/api/v1/sales/deals')).status).toBe(401);
});

it('shows a member suspended by an administrator as inactive', async () => {
  const { tenant, scim } = provider;
  const { id } = await platform.member(tenant, 'Old Hand', ['*'], { roles: ['member'] });
  const before = (await scim.get(`/Users/${id}`)).headers.get('etag');
  await tenant.api.patch(`/api/admin/memberships/${id}`, { status: 'suspended', reason: 'On leave' });
  const { body, headers } = await scim.get(`/Users/${id}`);
  expect(body).toMatchObject({ active: false });
  expect(headers.get('etag')).not.toBe(before);
});

it('manages a member from its first write: others cannot change managed fields', async () => {
  const { tenant, scim } = provider;
  const { id } = await platform.member(tenant, 'Old Hand', ['*'], { roles: ['member'] });
  const path = `/api/admin/memberships/${id}`;
  expect((await tenant.api.patch(path, { title: 'Clerk' })).status).toBe(200);
  expect(
    await scim.patch(`/Users/${id}`, { Operations: [{ op: 'replace', path: 'displayName', value: 'New Name' }] }),
  ).toMatchObject({ status: 200 });
  expect(await membership(id)).toMatchObject({ name: 'New Name', source: 'bootstrap' });
  expect(await tenant.api.patch(path, { title: 'Boss' })).toMatchObject({
    status: 409,
    body: { code: 'managed_by_scim' },
  });
});

it('never changes the address of an existing person', async () => {
  const { tenant, scim } = provider;
  const { id } = await platform.member(tenant, 'Owner', ['*']);
  const { email } = (await membership(id))!;
  const Operations = [
    { op: 'replace', path: 'userName', value: 'eve@evil.example' },
    { op: 'replace', path: 'emails', value: [{ value: 'eve@evil.example', primary: true }] },
  ];
  expect((await scim.patch(`/Users/${id}`, { Operations })).status).toBe(200);
  expect(await membership(id)).toMatchObject({ email });
  const own = await add('ana@acme.example');
  await scim.patch(`/Users/${own}`, { Operations: [{ op: 'replace', path: 'userName', value: 'ana@new.example' }] });
  expect(await membership(own)).toMatchObject({ email: 'ana@new.example' });
});

it('keeps the last owner, and roles granted by administrators', async () => {
  const { tenant, scim } = provider;
  const { id } = await platform.member(tenant, 'Owner', ['*']);
  const refusal = { status: 409, body: { status: '409' } };
  expect(await setActive(id, false)).toMatchObject(refusal);
  expect(await scim.delete(`/Users/${id}`)).toMatchObject(refusal);
  expect(await membership(id)).toMatchObject({ status: 'active', deleted: false });
  await platform.member(tenant, 'Second owner', ['*']);
  expect((await setActive(id, false)).status).toBe(200);
  expect(await rolesOf(id)).toEqual([expect.stringMatching(/ manual$/)]);
});

it('deletes a member permanently', async () => {
  const { tenant, scim } = provider;
  const id = await add('ana@acme.example');
  const api = await platform.key(tenant, ['*'], { memberId: id });
  expect((await scim.delete(`/Users/${id}`)).status).toBe(204);
  expect(await membership(id)).toMatchObject({ deleted: true });
  expect((await api.get('/api/v1/sales/deals')).status).toBe(401);
  const again = await add('ANA@acme.example');
  expect(again).not.toBe(id);
});

it('accepts only addresses in the allowed domains', async () => {
  const { tenant, id: configId, scim } = provider;
  await tenant.api.post('/api/admin/scim', { action: 'update', id: configId, allowedDomains: ['acme.example'] });
  expect((await scim.post('/Users', { userName: 'ana@acme.example' })).status).toBe(201);
  for (const userName of ['eve@evil.example', 'eve', 'eve@acme.example.evil.example'])
    expect(await scim.post('/Users', { userName })).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
});

it('creates one user from fifty concurrent requests', async () => {
  const { scim } = provider;
  const body = { userName: 'same@acme.example', emails: [{ value: 'same@acme.example', primary: true }] };
  const answers = await Promise.all(Array.from({ length: 50 }, () => scim.post('/Users', body)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(49);
  expect(new Set(refused.map((answer) => answer.body['scimType']))).toEqual(new Set(['uniqueness']));
  expect((await scim.get('/Users')).body['totalResults']).toBe(1);
});

it('creates one user from concurrent requests with one name, however it is written, and different addresses', async () => {
  const { scim } = provider;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      scim.post('/Users', {
        userName: ['Sáme@bücher.example', 'sáme@xn--bcher-kva.example', 'Sá\u200bme@Bücher.example'][index % 3],
        emails: [{ value: `same${index}@acme.example` }],
      }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status, body }) => status === 409 && body['scimType'] === 'uniqueness')).toHaveLength(19);
});

it('counts and returns every page, despite deletions in between', async () => {
  const { scim } = provider;
  const ids: string[] = [];
  for (let index = 0; index < 9; index++) ids.push(await add(`u${index}@acme.example`));
  for (const index of [0, 4, 8]) await scim.delete(`/Users/${ids[index]!}`);
  const left = ids.filter((_, index) => ![0, 4, 8].includes(index));
  const found: string[] = [];
  for (let startIndex = 1; startIndex <= 7; startIndex += 2) {
    const { body } = await scim.get<{ totalResults: number; Resources: { id: string }[] }>(
      `/Users?startIndex=${startIndex}&count=2`,
    );
    expect(body.totalResults).toBe(6);
    found.push(...body.Resources.map(({ id }) => id));
  }
  expect(found).toEqual(left);
});

it('paginates by cursor without skipping users when others are deleted', async () => {
  const { scim } = provider;
  const ids: string[] = [];
  for (let index = 0; index < 6; index++) ids.push(await add(`u${index}@acme.example`));
  interface Page {
    Resources: { id: string }[];
    nextCursor?: string;
    totalResults: number;
  }
  const first = (await scim.get<Page>('/Users?cursor&count=2')).body;
  expect(first).not.toHaveProperty('startIndex');
  await scim.delete(`/Users/${ids[0]!}`);
  const second = (await scim.get<Page>(`/Users?count=2&cursor=${first.nextCursor!}`)).body;
  const third = (await scim.get<Page>(`/Users?count=2&cursor=${second.nextCursor!}`)).body;
  expect([...first.Resources, ...second.Resources, ...third.Resources].map(({ id }) => id)).toEqual(ids);
  expect(third).not.toHaveProperty('nextCursor');
  const foreign = await scim.get(`/Users?count=2&filter=id+pr&cursor=${first.nextCursor!}`);
  expect(foreign).toMatchObject({ status: 400, body: { scimType: 'invalidCursor' } });
});

it('sorts, filters and projects', async () => {
  const { scim } = provider;
  for (const name of ['carol', 'Ana', 'bob']) await add(`${name}@acme.example`, { title: name });
  const names = async (query: string) =>
    (await scim.get<{ Resources: Record<string, unknown>[] }>(`/Users?${query}`)).body.Resources;
  expect((await names('sortBy=userName&attributes=userName')).map(({ userName }) => userName)).toEqual([
    'Ana@acme.example',
    'bob@acme.example',
    'carol@acme.example',
  ]);
  const [last] = await names('sortBy=title&sortOrder=descending&count=1&attributes=title');
  expect(Object.keys(last!).sort()).toEqual(['id', 'schemas', 'title']);
  expect(await names(`filter=${encodeURIComponent('title co "O" and not (title sw "c")')}`)).toMatchObject([
    { title: 'bob' },
  ]);
  expect((await names('excludedAttributes=emails,meta,title'))[0]).not.toHaveProperty('meta');
});

it('records the actor in the audit log and in events, without personal data', async () => {
  const { tenant, id: configId } = provider;
  const id = await add('ana@acme.example', { displayName: 'Ana' });
  await setActive(id, false);
  const { body } = await tenant.api.get<{ data: { action: string; actor: object }[] }>(
    `/api/admin/audit-logs?targetId=${id}&sort=occurredAt`,
  );
  expect(body.data.map(({ action }) => action).sort()).toEqual([
    'core.membership.created',
    'core.membership.suspended',
    'scim.user.created',
    'scim.user.updated',
  ]);
  for (const { actor } of body.data) expect(actor).toMatchObject({ type: 'scim', id: configId });
  expect(JSON.stringify(body)).not.toContain('ana@acme');
});

it('is logged, including failures', async () => {
  const { tenant, scim, id: configId } = provider;
  await add('ana@acme.example');
  await scim.post('/Users', { userName: 'ana@acme.example' });
  await scim.get('/Users?filter=nothing+eq+1');
  type List = { data: { recentErrors: number; userCount: number }[]; events: Record<string, unknown>[] };
  const events = await until(async () => {
    const { body } = await tenant.api.get<List>('/api/admin/scim?include=events');
    return body.events.length === 3 ? body : null;
  });
  expect(events.data).toMatchObject([{ id: configId, recentErrors: 2, userCount: 1 }]);
  expect(events.events).toMatchObject([
    { method: 'GET', path: '/api/scim/v2/Users', status: 400, subject: null },
    { method: 'POST', status: 409, subject: 'ana@acme.example', error: expect.stringMatching(/userName/) as string },
    { method: 'POST', status: 201, subject: 'ana@acme.example', error: null, configurationId: configId },
  ]);
});
