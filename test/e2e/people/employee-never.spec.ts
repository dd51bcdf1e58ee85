import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { together } from './together.js';
import { acted, dayFrom, EMPLOYEES, makeEmployee, outcome } from './people-calls.js';

/** Invariants of employees, tested with single and concurrent requests. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const PAY = { payAmountMinor: 9_999_900, payCurrency: 'EUR', payPeriod: 'month' };
const NOT_BY_ONESELF = [403, 'not_by_oneself'];
const statuses = (answers: { status: number }[]): number[] => answers.map(({ status }) => status).sort();

describe('employees cannot change their own', () => {
  it('pay, status or manager on any path', async () => {
    const { id: membershipId, api } = await platform.member(tenant, 'Ada');
    const boss = await makeEmployee(tenant.api);
    const { id } = await makeEmployee(tenant.api, { membershipId });
    const path = `${EMPLOYEES}/${id}`;
    const change = { effectiveDate: '2030-01-01', ...PAY };
    const tries = [
      await api.patch(path, { managerId: boss.id }),
      await api.patch(path, { membershipId: null }),
      await api.patch(path, { startDate: '2020-01-01' }),
      await api.patch(path, { status: 'on_leave' }),
      await api.patch(EMPLOYEES, { id, managerId: boss.id }),
      await api.post(`${path}/leave`),
      await api.post(`${path}/change-employment`, change),
      await api.post(`${path}/suspend`, { reason: 'x' }),
      await api.post(`${path}/terminate`, { type: 'voluntary' }),
      await api.post(`${path}/start-offboarding`, { terminationDate: '2099-12-31', type: 'voluntary' }),
    ];
    for (const answer of tries) expect(outcome(answer)).toEqual(NOT_BY_ONESELF);
    const { body } = await api.patch<{ results: object[] }>(EMPLOYEES, { items: [{ id, managerId: boss.id }] });
    expect(body.results).toMatchObject([{ ok: false, problem: { code: 'not_by_oneself' } }]);
    expect((await tenant.api.get(path)).body).toMatchObject({ version: 1, status: 'active', managerId: null });
    expect((await api.patch(path, { preferredName: 'Addie' })).status).toBe(200);
  });

  it('record by linking their membership to another one', async () => {
    const { id: membershipId, api } = await platform.member(tenant, 'Eve');
    expect(outcome(await api.post(EMPLOYEES, { name: 'Eve', membershipId, ...PAY }))).toEqual(NOT_BY_ONESELF);
    const { id } = await makeEmployee(api, PAY);
    expect(outcome(await api.patch(`${EMPLOYEES}/${id}`, { membershipId }))).toEqual(NOT_BY_ONESELF);
    expect((await tenant.api.patch(`${EMPLOYEES}/${id}`, { membershipId })).status).toBe(200);
  });

  it('record unless they may link employees to memberships', async () => {
    const { id: membershipId } = await platform.member(tenant, 'Ada');
    const writer = await platform.key(tenant, ['employees:read', 'employees:write']);
    const { id } = await makeEmployee(tenant.api);
    for (const answer of [
      await writer.patch(`${EMPLOYEES}/${id}`, { membershipId }),
      await writer.post(EMPLOYEES, { name: 'x', membershipId }),
    ])
      expect(outcome(answer)).toEqual([403, 'permission_denied']);
  });
});

describe('one membership', () => {
  it('is never linked to two employees, even under concurrent requests', async () => {
    const { id: membershipId } = await platform.member(tenant, 'Ada');
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => tenant.api.post(EMPLOYEES, { name: `Ada ${i}`, membershipId })),
    );
    expect(statuses(answers)).toEqual([201, 409, 409, 409, 409, 409]);
    for (const { status, body } of answers)
      if (status === 409) expect(body).toMatchObject({ code: 'duplicate', field: 'membershipId' });
    const others = await Promise.all(Array.from({ length: 3 }, () => makeEmployee(tenant.api)));
    for (const { id } of others)
      expect(outcome(await tenant.api.patch(`${EMPLOYEES}/${id}`, { membershipId }))).toEqual([409, 'duplicate']);
  });

  it('stays linked to a terminated employee', async () => {
    const { id: membershipId } = await platform.member(tenant, 'Ada');
    const { id } = await makeEmployee(tenant.api, { membershipId });
    await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'voluntary' });
    expect(outcome(await tenant.api.post(EMPLOYEES, { name: 'Ada again', membershipId }))).toEqual([409, 'duplicate']);
  });
});

describe('one work address', () => {
  it('belongs to one active employee at a time, ignoring case', async () => {
    const workEmail = 'grace@acme.test';
    const answers = await Promise.all(
      [workEmail, 'Grace@acme.test', 'GRACE@ACME.TEST'].map((each) =>
        tenant.api.post(EMPLOYEES, { name: 'x', workEmail: each }),
      ),
    );
    expect(statuses(answers)).toEqual([201, 409, 409]);
    const first = answers.find(({ status }) => status === 201)!.body as { id: string };
    await acted(tenant.api, EMPLOYEES, first.id, 'terminate', { type: 'voluntary' });
    const { id } = await makeEmployee(tenant.api, { workEmail });
    const back = { startDate: '2099-01-01' };
    const refused = await tenant.api.post(`${EMPLOYEES}/${first.id}/rehire`, back);
    expect(refused).toMatchObject({ status: 409, body: { code: 'duplicate', field: 'workEmail' } });
    await tenant.api.patch(`${EMPLOYEES}/${id}`, { workEmail: null });
    expect((await tenant.api.post(`${EMPLOYEES}/${first.id}/rehire`, back)).status).toBe(200);
  });
});

describe('the chart', () => {
  it('has no cycle of any length', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++)
      ids.push((await makeEmployee(tenant.api, { startDate: '2020-01-01', managerId: ids[i - 1] ?? null })).id);
    const [top] = ids as [string];
    const effectiveDate = dayFrom(platform.clock.nowMs(), 0);
    for (const managerId of ids) {
      const change = { effectiveDate, managerId };
      expect(outcome(await tenant.api.patch(`${EMPLOYEES}/${top}`, { managerId }))).toEqual([409, 'tree_cycle']);
      const changed = await tenant.api.post(`${EMPLOYEES}/${top}/change-employment`, change);
      expect(outcome(changed)).toEqual([409, 'tree_cycle']);
    }
    expect((await tenant.api.get(`${EMPLOYEES}/${top}`)).body).toMatchObject({ managerId: null });
  });

  it.each(['a patch', 'a change of the employment'])(
    'has no cycle when several requests would close it concurrently, by %s',
    async (way) => {
      const ring: string[] = [];
      for (let i = 0; i < 3; i++) ring.push((await makeEmployee(tenant.api, { startDate: '2020-01-01' })).id);
      const effectiveDate = dayFrom(platform.clock.nowMs(), 0);
      const answers = await together(
        platform.database,
        ring.map((id, i) => () => {
          const managerId = ring[(i + 1) % 3];
          return way === 'a patch'
            ? tenant.api.patch(`${EMPLOYEES}/${id}`, { managerId })
            : tenant.api.post(`${EMPLOYEES}/${id}/change-employment`, { effectiveDate, managerId });
        }),
      );
      expect(statuses(answers)).toEqual([200, 200, 409]);
      expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'tree_cycle' });
      const managers = await Promise.all(ring.map(async (id) => (await tenant.api.get(`${EMPLOYEES}/${id}`)).body));
      expect(managers.filter(({ managerId }) => managerId === null)).toHaveLength(1);
    },
  );

  it('rejects a terminated manager', async () => {
    const { id } = await makeEmployee(tenant.api);
    await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'voluntary' });
    const refused = await tenant.api.post(EMPLOYEES, { name: 'x', managerId: id });
    const unknown = { status: 400, body: { errors: [{ pointer: '/managerId', code: 'unknown_reference' }] } };
    expect(refused).toMatchObject(unknown);
    const other = await makeEmployee(tenant.api, { startDate: '2020-01-01' });
    expect(await tenant.api.patch(`${EMPLOYEES}/${other.id}`, { managerId: id })).toMatchObject(unknown);
    const change = { effectiveDate: '2031-01-01', managerId: id };
    expect(await tenant.api.post(`${EMPLOYEES}/${other.id}/change-employment`, change)).toMatchObject(unknown);
  });

  it('never shows an employee below a manager terminated concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const boss = await makeEmployee(tenant.api);
      const [terminated, ...hired] = await Promise.all([
        tenant.api.post(`${EMPLOYEES}/${boss.id}/terminate`, { type: 'voluntary' }),
        ...Array.from({ length: 4 }, () => tenant.api.post(EMPLOYEES, { name: 'New', managerId: boss.id })),
      ]);
      expect(terminated.status).toBe(200);
      for (const { status } of hired) expect([201, 400]).toContain(status);
      const left = await tenant.api.get<{ data: object[] }>(`${EMPLOYEES}?managerId=${boss.id}`);
      expect(left.body.data).toEqual([]);
    }
  });
});

describe('a history', () => {
  it('has one entry per day, even under concurrent requests', async () => {
    const { id } = await makeEmployee(tenant.api);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        tenant.api.post(`${EMPLOYEES}/${id}/change-employment`, {
          effectiveDate: '2031-01-01',
          jobTitle: `Title ${i}`,
        }),
      ),
    );
    expect(statuses(answers)).toEqual([200, 409, 409, 409, 409]);
    for (const { status, body } of answers)
      if (status === 409) expect(body).toMatchObject({ code: 'duplicate', field: 'effectiveDate' });
    expect((await tenant.api.get(`${EMPLOYEES}/${id}`)).body).toMatchObject({ employmentCount: 2 });
  });
});

describe('an employee with a history', () => {
  it('is never deleted', async () => {
    const pending = { status: 'pending' };
    const delet = async (id: string) => outcome(await tenant.api.delete(`${EMPLOYEES}/${id}`));
    const active = await makeEmployee(tenant.api);
    expect(await delet(active.id)).toEqual([409, 'record_locked']);
    await acted(tenant.api, EMPLOYEES, active.id, 'terminate', { type: 'voluntary' });
    expect(await delet(active.id)).toEqual([409, 'record_locked']);
    await acted(tenant.api, EMPLOYEES, active.id, 'rehire', { startDate: '2099-01-01' });
    expect(await delet(active.id)).toEqual([409, 'record_locked']);
    const changed = await makeEmployee(tenant.api, pending);
    await acted(tenant.api, EMPLOYEES, changed.id, 'change-employment', { effectiveDate: '2031-01-01', jobTitle: 'x' });
    expect(await delet(changed.id)).toEqual([409, 'record_locked']);
    const boss = await makeEmployee(tenant.api, pending);
    await makeEmployee(tenant.api, { managerId: boss.id });
    expect(await delet(boss.id)).toEqual([409, 'in_use']);
    const fresh = await makeEmployee(tenant.api, pending);
    expect(await delet(fresh.id)).toEqual([200, undefined]);
  });
});
