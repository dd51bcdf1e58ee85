import type { INestApplicationContext } from '@nestjs/common';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { Stage } from '../../worker/stage.js';
import type { TestTenant } from '../../harness/platform.js';
import { acted, dayFrom, EMPLOYEES, makeEmployee, outcome } from './people-calls.js';

/** The life cycle of an employee, including scheduled transitions. */
let stage: Stage;
let tenant: TestTenant;
let worker: INestApplicationContext;
beforeAll(async () => {
  stage = await Stage.open();
  worker = await stage.idleWorker();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterAll(() => stage.close());

const inDays = (days: number) => dayFrom(stage.platform.clock.nowMs(), days);
const read = async (id: string) => (await tenant.api.get(`${EMPLOYEES}/${id}`)).body;
/** Advances time by some days and runs everything that is due. */
async function pass(days: number): Promise<void> {
  stage.platform.clock.advance(days * DAY_MS);
  const runner = worker.get(AutomationWorker);
  while ((await runner.pass()) !== 'none');
}
const memberStatus = async (id: string) =>
  (await stage.sql<{ status: string }>('select status from data.memberships where id = $1', [id]))[0]!.status;

describe('scheduled transitions', () => {
  it('activate employees on their first day, not before', async () => {
    const { id } = await makeEmployee(tenant.api, { startDate: inDays(3) });
    const { id: onboarding } = await makeEmployee(tenant.api, { startDate: inDays(3) });
    await acted(tenant.api, EMPLOYEES, onboarding, 'start-onboarding');
    const { id: later } = await makeEmployee(tenant.api, { startDate: inDays(3) });
    await tenant.api.patch(`${EMPLOYEES}/${later}`, { startDate: inDays(5) });
    await pass(2);
    expect(await read(id)).toMatchObject({ status: 'pending', version: 1 });
    await pass(1);
    expect(await read(id)).toMatchObject({ status: 'active', updatedBy: { type: 'automation' } });
    expect(await read(onboarding)).toMatchObject({ status: 'active' });
    expect(await read(later)).toMatchObject({ status: 'pending' });
    await pass(2);
    expect(await read(later)).toMatchObject({ status: 'active', version: 3 });
    await pass(10);
    expect(await read(id)).toMatchObject({ version: 2 });
  });

  it('follow a change of the tenant’s time zone', async () => {
    const { id } = await makeEmployee(tenant.api, { startDate: inDays(2) });
    await tenant.api.patch('/api/admin/settings', { general: { timezone: 'Pacific/Pago_Pago' } });
    const startOfDayMs = Math.ceil(stage.platform.clock.nowMs() / DAY_MS) * DAY_MS - stage.platform.clock.nowMs();
    await pass(1 + (startOfDayMs + 3_600_000) / DAY_MS); // one o'clock in UTC, the day before in Pago Pago
    expect(await read(id)).toMatchObject({ status: 'pending' });
    await pass(0.5);
    expect(await read(id)).toMatchObject({ status: 'active' });
  });

  it('terminate employees after their last day', async () => {
    const { id: membershipId, api } = await stage.platform.member(tenant, 'Ada', ['*'], { roles: ['admin'] });
    const { id } = await makeEmployee(tenant.api, { membershipId });
    const last = { terminationDate: inDays(2), type: 'voluntary', reason: 'Moves away' };
    await acted(tenant.api, EMPLOYEES, id, 'start-offboarding', last);
    await pass(2);
    expect(await read(id)).toMatchObject({ status: 'offboarding', terminationDate: last.terminationDate });
    expect((await api.get(EMPLOYEES)).status).toBe(200);
    await pass(1);
    expect(await read(id)).toMatchObject({
      status: 'terminated',
      terminationDate: last.terminationDate,
      terminationType: 'voluntary',
      terminationReason: 'Moves away',
    });
    expect(await memberStatus(membershipId)).toBe('suspended');
    expect((await api.get(EMPLOYEES)).status).toBe(401);
  });

  it('apply history entries on their dates, visible to filters', async () => {
    const boss = await makeEmployee(tenant.api);
    const { id } = await makeEmployee(tenant.api, { jobTitle: 'Engineer', startDate: inDays(-30) });
    const change = (days: number, body: object) =>
      acted(tenant.api, EMPLOYEES, id, 'change-employment', { effectiveDate: inDays(days), ...body });
    await change(4, { jobTitle: 'Principal' });
    await change(2, { jobTitle: 'Senior', managerId: boss.id });
    expect(await change(-5, { employmentType: 'part_time' })).toMatchObject({
      employmentType: 'part_time',
      jobTitle: 'Engineer',
      employmentCount: 4,
    });
    await change(-20, { employmentType: 'intern' });
    expect(await read(id)).toMatchObject({ employmentType: 'part_time' });
    const below = async () =>
      (await tenant.api.get<{ data: object[] }>(`${EMPLOYEES}?managerId=${boss.id}`)).body.data.length;
    expect(await below()).toBe(0);
    await pass(2);
    expect(await read(id)).toMatchObject({ jobTitle: 'Senior', managerId: boss.id });
    expect(await below()).toBe(1);
    await pass(2);
    expect(await read(id)).toMatchObject({ jobTitle: 'Principal', managerId: null });
  });

  it('skip a planned manager who was terminated or would close a cycle', async () => {
    const [boss, gone, one, two] = [
      await makeEmployee(tenant.api),
      await makeEmployee(tenant.api),
      await makeEmployee(tenant.api),
      await makeEmployee(tenant.api),
    ];
    const plan = (id: string, managerId: string) =>
      acted(tenant.api, EMPLOYEES, id, 'change-employment', { effectiveDate: inDays(1), managerId, jobTitle: 'New' });
    await plan(boss.id, gone.id);
    await plan(one.id, two.id);
    await plan(two.id, one.id);
    await acted(tenant.api, EMPLOYEES, gone.id, 'terminate', { type: 'other' });
    await pass(1);
    expect(await read(boss.id)).toMatchObject({ jobTitle: 'New', managerId: null });
    const managers = [(await read(one.id))['managerId'], (await read(two.id))['managerId']];
    expect(managers.filter((each) => each !== null)).toHaveLength(1);
    expect(await read(two.id)).toMatchObject({ jobTitle: 'New' });
  });

  it('tell those who manage employees of a planned manager who did not take effect', async () => {
    const { api } = await stage.platform.member(tenant, 'Hanna', ['*'], { roles: ['admin'] });
    const [boss, one] = [await makeEmployee(tenant.api), await makeEmployee(tenant.api, { name: 'Ada' })];
    const plan = { effectiveDate: inDays(1), managerId: boss.id };
    await acted(tenant.api, EMPLOYEES, one.id, 'change-employment', plan);
    await tenant.api.patch(`${EMPLOYEES}/${boss.id}`, { managerId: one.id });
    await pass(1);
    const { body } = await api.get<{ data: object[] }>('/api/home/notifications');
    expect(body.data).toMatchObject([
      {
        kind: 'review',
        title: 'The new manager of Ada did not take effect',
        subject: { object: 'people.employee', id: one.id },
      },
    ]);
  });
});

describe('a termination', () => {
  it('revokes all access immediately and records the time', async () => {
    const { id: membershipId, api } = await stage.platform.member(tenant, 'Ada', ['*'], { roles: ['admin'] });
    const second = await stage.platform.key(tenant, ['employees:read'], { memberId: membershipId });
    const { api: colleague } = await stage.platform.member(tenant, 'Bob');
    const { id } = await makeEmployee(tenant.api, { membershipId });
    expect((await api.get(EMPLOYEES)).status).toBe(200);
    const at = stage.platform.clock.nowMs();
    const body = await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'involuntary' });
    expect(Date.parse(body['accessRemovedAt'] as string)).toBeGreaterThanOrEqual(at);
    expect(await memberStatus(membershipId)).toBe('suspended');
    for (const each of [api, second]) expect((await each.get(EMPLOYEES)).status).toBe(401);
    for (const each of [colleague, tenant.api]) expect((await each.get(EMPLOYEES)).status).toBe(200);
    const { body: log } = await tenant.api.get<{ data: { action: string }[] }>('/api/admin/audit-logs?limit=200');
    const actions = log.data.map(({ action }) => action);
    expect(actions).toContain('core.membership.suspended');
    expect(actions.filter((action) => action === 'settings.api_key.revoked')).toHaveLength(2);
  });

  it('moves current and planned reports to the next manager', async () => {
    const top = await makeEmployee(tenant.api);
    const middle = await makeEmployee(tenant.api, { managerId: top.id });
    const reports = [];
    for (let i = 0; i < 3; i++)
      reports.push(await makeEmployee(tenant.api, { managerId: middle.id, startDate: inDays(-30) }));
    const planned = await makeEmployee(tenant.api);
    const plan = { effectiveDate: inDays(3), managerId: middle.id };
    await acted(tenant.api, EMPLOYEES, planned.id, 'change-employment', plan);
    await acted(tenant.api, EMPLOYEES, middle.id, 'terminate', { type: 'voluntary' });
    for (const { id } of reports) {
      expect(await read(id)).toMatchObject({ managerId: top.id, version: 2 });
      const { body } = await tenant.api.get<{ data: object[] }>(`${EMPLOYEES}/${id}/employments`);
      expect(body.data[0]).toMatchObject({ effectiveDate: inDays(0), managerId: top.id });
    }
    await pass(3);
    expect(await read(planned.id)).toMatchObject({ managerId: top.id });
    await acted(tenant.api, EMPLOYEES, top.id, 'terminate', { type: 'voluntary' });
    expect(await read(reports[0]!.id)).toMatchObject({ managerId: null });
  });

  it('of a manager and the next manager concurrently leaves no reports below either', async () => {
    const top = await makeEmployee(tenant.api);
    const middle = await makeEmployee(tenant.api, { managerId: top.id });
    const { id } = await makeEmployee(tenant.api, { managerId: middle.id });
    const answers = await Promise.all(
      [top, middle].map((each) => tenant.api.post(`${EMPLOYEES}/${each.id}/terminate`, { type: 'voluntary' })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await read(id)).toMatchObject({ managerId: null, status: 'active' });
  });

  it('requires a type and a date that is neither in the future nor before the first day', async () => {
    const { id } = await makeEmployee(tenant.api, { startDate: inDays(-10) });
    const tryIt = async (body: object) => (await tenant.api.post(`${EMPLOYEES}/${id}/terminate`, body)).body['errors'];
    expect(await tryIt({})).toMatchObject([{ pointer: '/type', code: 'required' }]);
    expect(await tryIt({ type: 'other', terminationDate: inDays(1) })).toMatchObject([{ code: 'in_future' }]);
    expect(await tryIt({ type: 'other', terminationDate: inDays(-11) })).toMatchObject([{ code: 'out_of_range' }]);
    const early = { terminationDate: inDays(-11), type: 'other' };
    expect((await tenant.api.post(`${EMPLOYEES}/${id}/start-offboarding`, early)).status).toBe(400);
    const done = await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'other', terminationDate: inDays(-1) });
    expect(done).toMatchObject({ terminationDate: inDays(-1) });
  });

  it('leaves a record in which only personal fields can change', async () => {
    const { id } = await makeEmployee(tenant.api);
    const boss = await makeEmployee(tenant.api);
    const { id: membershipId } = await stage.platform.member(tenant, 'Ada');
    await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'other' });
    const path = `${EMPLOYEES}/${id}`;
    for (const body of [{ managerId: boss.id }, { jobTitle: 'x' }, { startDate: '2020-01-01' }, { membershipId }])
      expect(outcome(await tenant.api.patch(path, body))).toEqual([409, 'record_locked']);
    expect((await tenant.api.patch(path, { personalEmail: 'ada@home.test' })).status).toBe(200);
    const change = { effectiveDate: '2030-01-01', jobTitle: 'x' };
    expect(outcome(await tenant.api.post(`${path}/change-employment`, change))).toEqual([409, 'invalid_transition']);
  });
});

describe('a suspension', () => {
  it('suspends access, and restores membership and status when it ends', async () => {
    const { id: membershipId, api } = await stage.platform.member(tenant, 'Ada', ['*'], { roles: ['admin'] });
    const { id } = await makeEmployee(tenant.api, { membershipId });
    await acted(tenant.api, EMPLOYEES, id, 'leave');
    await acted(tenant.api, EMPLOYEES, id, 'suspend', { reason: 'Investigation' });
    expect(await memberStatus(membershipId)).toBe('suspended');
    expect((await api.get(EMPLOYEES)).status).toBe(401);
    expect(await acted(tenant.api, EMPLOYEES, id, 'reinstate')).toMatchObject({ status: 'on_leave' });
    expect(await memberStatus(membershipId)).toBe('active');
    expect(await acted(tenant.api, EMPLOYEES, id, 'return')).toMatchObject({ status: 'active' });
  });
});

describe('a rehire', () => {
  it('keeps the number, without the termination and the old pay', async () => {
    const pay = { payAmountMinor: 500_000, payCurrency: 'EUR', payPeriod: 'month' };
    const made = await makeEmployee(tenant.api, { jobTitle: 'Engineer', ...pay });
    const { id } = made;
    const planned = { effectiveDate: inDays(5), jobTitle: 'Never' };
    await acted(tenant.api, EMPLOYEES, id, 'change-employment', planned);
    await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'other', reason: 'x' });
    const early = await tenant.api.post(`${EMPLOYEES}/${id}/rehire`, { startDate: inDays(0) });
    expect(early.status).toBe(400);
    const back = await acted(tenant.api, EMPLOYEES, id, 'rehire', { startDate: inDays(2) });
    expect(back).toMatchObject({
      employeeNumber: made['employeeNumber'],
      status: 'pending',
      startDate: inDays(2),
      jobTitle: 'Engineer',
      terminationDate: null,
      terminationReason: null,
      accessRemovedAt: null,
    });
    const { body } = await tenant.api.get<{ data: object[] }>(`${EMPLOYEES}/${id}/employments`);
    expect(body.data).toMatchObject([
      { effectiveDate: inDays(2), jobTitle: 'Engineer', payAmountMinor: null },
      { effectiveDate: inDays(0), jobTitle: 'Engineer', payAmountMinor: 500_000 },
    ]);
    expect(body.data).toHaveLength(2);
    await pass(2);
    expect(await read(id)).toMatchObject({ status: 'active', jobTitle: 'Engineer' });
  });
});

describe('a pending employee', () => {
  const history = async (of: string) =>
    (await tenant.api.get<{ data: object[] }>(`${EMPLOYEES}/${of}/employments`)).body.data;

  it('starts with the latest planned employment, also after a rehire', async () => {
    const { id } = await makeEmployee(tenant.api, { jobTitle: 'Engineer', startDate: inDays(-9) });
    await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'other' });
    await acted(tenant.api, EMPLOYEES, id, 'rehire', { startDate: inDays(3) });
    await tenant.api.patch(`${EMPLOYEES}/${id}`, { jobTitle: 'Lead', startDate: inDays(4) });
    expect(await history(id)).toMatchObject([
      { effectiveDate: inDays(4), jobTitle: 'Lead' },
      { effectiveDate: inDays(-9), jobTitle: 'Engineer' },
    ]);
    const change = { effectiveDate: inDays(6), jobTitle: 'Head' };
    expect(await acted(tenant.api, EMPLOYEES, id, 'change-employment', change)).toMatchObject({ jobTitle: 'Lead' });
    const taken = await tenant.api.patch(`${EMPLOYEES}/${id}`, { startDate: inDays(6) });
    expect(taken).toMatchObject({ status: 409, body: { code: 'duplicate', field: 'effectiveDate' } });
    await pass(4);
    expect(await read(id)).toMatchObject({ status: 'active', jobTitle: 'Lead' });
    await pass(2);
    expect(await read(id)).toMatchObject({ jobTitle: 'Head' });
  });

  it('who is terminated has no planned changes left', async () => {
    const { id } = await makeEmployee(tenant.api, { jobTitle: 'Old plan', startDate: inDays(5) });
    await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'other' });
    await acted(tenant.api, EMPLOYEES, id, 'rehire', { startDate: inDays(2) });
    await tenant.api.patch(`${EMPLOYEES}/${id}`, { jobTitle: 'New plan' });
    await acted(tenant.api, EMPLOYEES, id, 'change-employment', { effectiveDate: inDays(9), employmentType: 'intern' });
    await pass(6);
    expect(await read(id)).toMatchObject({ status: 'active', jobTitle: 'New plan', employmentType: 'full_time' });
  });

  it('who is restored from the trash still starts on the first day', async () => {
    const { id } = await makeEmployee(tenant.api, { startDate: inDays(2) });
    await tenant.api.delete(`${EMPLOYEES}/${id}`);
    await pass(3);
    await acted(tenant.api, EMPLOYEES, id, 'restore');
    await pass(0);
    expect(await read(id)).toMatchObject({ status: 'active' });
  });
});

describe('a change of the employment', () => {
  it('enters the history as of today, or as of the first day while pending', async () => {
    const { id } = await makeEmployee(tenant.api, { startDate: inDays(-30), jobTitle: 'Engineer' });
    await tenant.api.patch(`${EMPLOYEES}/${id}`, { jobTitle: 'Lead' });
    await tenant.api.patch(`${EMPLOYEES}/${id}`, { jobTitle: 'Head' });
    const history = async (of: string) =>
      (await tenant.api.get<{ data: object[] }>(`${EMPLOYEES}/${of}/employments`)).body.data;
    expect(await history(id)).toMatchObject([
      { effectiveDate: inDays(0), jobTitle: 'Head' },
      { effectiveDate: inDays(-30), jobTitle: 'Engineer' },
    ]);
    expect(await read(id)).toMatchObject({ employmentCount: 2 });
    const { id: pending } = await makeEmployee(tenant.api, { startDate: inDays(7), jobTitle: 'Engineer' });
    await tenant.api.patch(`${EMPLOYEES}/${pending}`, { jobTitle: 'Lead', startDate: inDays(9) });
    expect(await history(pending)).toMatchObject([{ effectiveDate: inDays(9), jobTitle: 'Lead' }]);
    expect(await history(pending)).toHaveLength(1);
  });
});

describe('a change of the employment before the first day', () => {
  const changed = (id: string, effectiveDate: string) =>
    tenant.api.post(`${EMPLOYEES}/${id}/change-employment`, { effectiveDate, jobTitle: 'Lead' });

  it.each([-30, 7])('is refused for somebody who starts in %i days', async (days) => {
    const { id } = await makeEmployee(tenant.api, { startDate: inDays(days), jobTitle: 'Engineer' });
    const errors = [{ pointer: '/effectiveDate', code: 'out_of_range' }];
    expect(await changed(id, inDays(days - 1))).toMatchObject({ status: 400, body: { errors } });
    expect((await changed(id, inDays(days + 1))).status).toBe(200);
  });

  it('is possible once the first day is corrected, and in an employment before', async () => {
    const { id } = await makeEmployee(tenant.api, { startDate: inDays(-30), jobTitle: 'Engineer' });
    await tenant.api.patch(`${EMPLOYEES}/${id}`, { startDate: inDays(-40) });
    expect((await changed(id, inDays(-35))).status).toBe(200);
    await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'other', terminationDate: inDays(-5) });
    await acted(tenant.api, EMPLOYEES, id, 'rehire', { startDate: inDays(3) });
    expect((await changed(id, inDays(-20))).status).toBe(200);
  });
});

describe('an approval gate for changes of pay', () => {
  it('holds only those changes', async () => {
    const gates = [{ key: 'employee.compensation_change', effect: 'require_approval' }];
    expect((await tenant.api.patch('/api/admin/settings', { gates })).status).toBe(200);
    const { id } = await makeEmployee(tenant.api);
    const path = `${EMPLOYEES}/${id}/change-employment`;
    expect((await tenant.api.post(path, { effectiveDate: inDays(1), jobTitle: 'Lead' })).status).toBe(200);
    const pay = { payAmountMinor: 1, payCurrency: 'EUR', payPeriod: 'hour' };
    const parked = await tenant.api.post(path, { effectiveDate: inDays(2), ...pay });
    expect(parked).toMatchObject({ status: 202, body: { record: { id, employmentCount: 2 } } });
    const { body } = await tenant.api.get<{ data: object[] }>(`${EMPLOYEES}/${id}/employments`);
    expect(body.data).toHaveLength(2);
  });
});

it('treats the status in a PATCH as the corresponding action', async () => {
  const { id } = await makeEmployee(tenant.api, { status: 'pending' });
  const path = `${EMPLOYEES}/${id}`;
  for (const [status, more] of [
    ['onboarding', {}],
    ['active', {}],
    ['on_leave', {}],
    ['active', {}],
    ['suspended', { reason: 'x' }],
    ['active', {}],
    ['offboarding', { terminationDate: '2099-12-31', type: 'voluntary', reason: 'Private' }],
    ['terminated', {}],
    ['pending', { startDate: '2099-12-31' }],
  ] as const) {
    const answer = await tenant.api.patch(path, { status, ...more });
    expect([status, answer.status, answer.body['status']]).toEqual([status, 200, status]);
  }
});
