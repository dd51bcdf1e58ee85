import type { Client } from '../../harness/client.js';
import { startPlatform, type TestTenant } from '../../harness/platform.js';
import { makeDeal } from '../sales/deal-calls.js';
import { faults, REPORTS, RUNS } from './report-calls.js';

interface Stored {
  id: string;
  name: string;
  version: number;
  ownerId: string;
  nextRunAt: string | null;
  pausedAt: string | null;
}
type Person = { id: string; api: Client };

const platform = await startPlatform();
afterAll(() => platform.close());

let tenant: TestTenant;
let ada: Person;
let bob: Person;
let boss: Person;
beforeEach(async () => {
  tenant = await platform.tenant();
  const people = [
    ['Ada', 'member'],
    ['Bob', 'member'],
    ['Mia', 'manager'],
  ] as const;
  [ada, bob, boss] = (await Promise.all(
    people.map(([name, role]) => platform.member(tenant, name, ['*'], { roles: [role] })),
  )) as [Person, Person, Person];
});

async function store(api: Client, more: object = {}): Promise<Stored> {
  const body = { name: 'Deals', recordType: 'sales.deal', measures: [{ aggregate: 'count' }], ...more };
  const answer = await api.post<Stored>(REPORTS, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

const names = async (api: Client, query = '') =>
  (await api.get<{ data: Stored[] }>(`${REPORTS}${query}`)).body.data.map(({ name }) => name).sort();

describe('a stored report', () => {
  it('is created, read, changed and deleted', async () => {
    const report = await store(ada.api, { description: 'All of them', dimensions: [{ field: 'status' }] });
    expect(report).toMatchObject({ version: 1, ownerId: ada.id, maxRows: 1_000, shared: 'private', schedule: null });
    const path = `${REPORTS}/${report.id}`;
    const changed = await ada.api.patch(path, { maxRows: 5, description: null }, { 'if-match': '"1"' });
    expect(changed).toMatchObject({ status: 200, body: { version: 2, maxRows: 5, description: null } });
    expect(await ada.api.patch(path, { maxRows: 6 }, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
    expect((await ada.api.get(path)).body).toEqual(changed.body);
    expect(await ada.api.delete(path)).toMatchObject({ status: 200, body: { deleted: true } });
    expect(await ada.api.get(path)).toMatchObject({ status: 404 });
  });

  it('accepts only what its type has and its author may see', async () => {
    const answer = await ada.api.post(REPORTS, {
      name: 'Deals',
      recordType: 'sales.deal',
      dimensions: [{ field: 'colour' }],
      measures: [{ aggregate: 'sum', field: 'name' }],
      sort: ['x'],
    });
    expect(faults(answer)).toEqual({
      status: 400,
      faults: ['/dimensions/0/field unknown_field', '/measures/0/field not_measurable', '/sort/0 invalid_value'],
    });
    const { id } = await store(ada.api);
    const patched = await ada.api.patch(`${REPORTS}/${id}`, { measures: [{ aggregate: 'sum', field: 'name' }] });
    expect(faults(patched)).toEqual({ status: 400, faults: ['/measures/0/field not_measurable'] });
    const key = await platform.key(tenant, ['reports:write', 'leads:read']);
    const denied = await key.post(REPORTS, { name: 'x', recordType: 'sales.deal', measures: [{ aggregate: 'count' }] });
    expect(denied).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  });

  it('is seen by those with whom it is shared', async () => {
    await store(ada.api, { name: 'Private' });
    const { id } = await store(boss.api, { name: 'Shared', shared: 'tenant' });
    expect(await names(ada.api)).toEqual(['Private', 'Shared']);
    expect(await names(bob.api)).toEqual(['Shared']);
    expect(await names(bob.api, '?name[contains]=priv')).toEqual([]);
    expect(await names(await platform.key(tenant, ['reports:read', 'leads:read']))).toEqual([]);
    expect(await bob.api.patch(`${REPORTS}/${id}`, { name: 'Mine' })).toMatchObject({ status: 403 });
    expect(await bob.api.delete(`${REPORTS}/${id}`)).toMatchObject({ status: 403 });
    const refused = { name: 'x', recordType: 'sales.deal', measures: [{ aggregate: 'count' }], shared: 'tenant' };
    expect(await ada.api.post(REPORTS, refused)).toMatchObject({ status: 403 });
    const other = await platform.tenant();
    expect(await other.api.get(`${REPORTS}/${id}`)).toMatchObject({ status: 404 });
  });

  it('runs with the rights of whoever runs it', async () => {
    const { body } = await tenant.api.post<{ id: string }>('/api/admin/workspaces', { name: 'Other' });
    await makeDeal(tenant.api, { workspaceId: body.id });
    await makeDeal(tenant.api, { ownerId: ada.id });
    const { id } = await store(boss.api, { shared: 'tenant' });
    const count = async (api: Client) => {
      const answer = await api.get<{ rows: { values: { count: number } }[] }>(`${REPORTS}/${id}/run`);
      return answer.body.rows[0]!.values.count;
    };
    expect(await count(boss.api)).toBe(2);
    expect(await count(ada.api)).toBe(1);
  });

  it('is a CSV file whose cells are no formulas', async () => {
    for (const name of ['=1+1', 'a "b", c', '-5'])
      await makeDeal(tenant.api, { name, valueMinor: 100, currency: 'USD' });
    const { id } = await store(tenant.api, {
      dimensions: [{ field: 'name' }],
      measures: [{ aggregate: 'count' }, { aggregate: 'sum', field: 'valueMinor' }],
    });
    const answer = await tenant.api.get(`${REPORTS}/${id}/run?format=csv`);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="report-${id}.csv"`);
    expect(answer.text.split('\r\n').sort()).toEqual(
      ['name,currency,count,sum_valueMinor', `'=1+1,USD,1,100`, `'-5,USD,1,100`, `"a ""b"", c",USD,1,100`, ''].sort(),
    );
  });
});

describe('a schedule', () => {
  const daily = { frequency: 'daily', time: '07:30', timeZone: 'Europe/Berlin' };

  it('is set, replaced and removed by the owner', async () => {
    const { id } = await store(boss.api, { shared: 'tenant' });
    const path = `${REPORTS}/${id}/schedule`;
    const set = await boss.api.post<Stored>(path, { ...daily, recipientIds: [ada.id] });
    expect(set).toMatchObject({
      status: 200,
      body: {
        version: 2,
        schedule: { ...daily, weekday: null, dayOfMonth: null, recipientIds: [ada.id], format: 'csv' },
      },
    });
    expect(Date.parse(set.body.nextRunAt!)).toBeGreaterThan(platform.clock.nowMs());
    const owner = await platform.member(tenant, 'Zoe', ['*'], { roles: ['owner'] });
    expect(await owner.api.post(path, daily)).toMatchObject({ status: 403 });
    expect(await owner.api.patch(`${REPORTS}/${id}`, { maxRows: 2 })).toMatchObject({ status: 403 });
    expect(await boss.api.delete(path)).toMatchObject({ status: 200, body: { schedule: null, nextRunAt: null } });
    expect(await owner.api.patch(`${REPORTS}/${id}`, { maxRows: 2 })).toMatchObject({ status: 200 });
  });

  it.each([
    [{ frequency: 'weekly' }, '/weekday required'],
    [{ frequency: 'monthly' }, '/dayOfMonth required'],
    [{ weekday: 'mon' }, '/weekday not_applicable'],
    [{ time: '24:00' }, '/time invalid_format'],
    [{ timeZone: 'Mars/Olympus' }, '/timeZone unknown_timezone'],
    [{ recipientIds: ['019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40'] }, '/recipientIds unknown_reference'],
  ])('is rejected: %j', async (more, fault) => {
    const { id } = await store(ada.api);
    expect(faults(await ada.api.post(`${REPORTS}/${id}/schedule`, { ...daily, ...more }))).toEqual({
      status: 400,
      faults: [fault],
    });
  });

  it('is out of reach for other tenants', async () => {
    const { id } = await store(ada.api);
    const { body: run } = await ada.api.post<{ id: string }>(`${REPORTS}/${id}/runs`);
    const stranger = await platform.member(await platform.tenant(), 'Eve');
    const answers = [
      await stranger.api.post(`${REPORTS}/${id}/schedule`, daily),
      await stranger.api.delete(`${REPORTS}/${id}/schedule`),
      await stranger.api.post(`${REPORTS}/${id}/runs`),
      await stranger.api.get(`${REPORTS}/${id}/runs`),
      await stranger.api.get(`${RUNS}/${run.id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  });

  it('requires a credential that acts for a person', async () => {
    const { id } = await store(tenant.api);
    expect(await tenant.api.post(`${REPORTS}/${id}/schedule`, daily)).toMatchObject({ status: 403 });
    expect(await tenant.api.post(`${REPORTS}/${id}/runs`)).toMatchObject({ status: 403 });
  });

  it('cannot be set, and runs cannot be used, by a credential that is confined to workspaces', async () => {
    const { body: place } = await tenant.api.post<{ id: string }>('/api/admin/workspaces', { name: 'Own' });
    const eve = await platform.member(tenant, 'Eve', ['*'], {
      roles: ['member'],
      workspaces: { [place.id]: 'member' },
    });
    const made = await eve.api.post<{ apiKey: string }>('/api/settings/developer/api-keys', {
      name: 'Confined',
      kind: 'personal',
      scopes: ['reports:read', 'reports:write', 'deals:read'],
      workspaceIds: [place.id],
    });
    expect(made.status).toBe(201);
    const confined = platform.anonymous().as({ 'x-api-key': made.body.apiKey });
    const { id } = await store(eve.api);
    expect(await confined.post(`${REPORTS}/${id}/schedule`, daily)).toMatchObject({ status: 403 });
    expect(await confined.post(`${REPORTS}/${id}/runs`)).toMatchObject({ status: 403 });
    expect(await eve.api.post(`${REPORTS}/${id}/runs`)).toMatchObject({ status: 201 });
  });
});
