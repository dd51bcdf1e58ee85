import type { INestApplicationContext } from '@nestjs/common';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { TestTenant } from '../../harness/platform.js';
import type { Json } from '../../matrix/operations.js';
import { Stage } from '../../worker/stage.js';
import { acted, dayFrom, EMPLOYEES, made, makeEmployee, outcome, POLICIES, TIME_OFF } from './people-calls.js';

/** Time off and its balances. */
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

const nowMs = () => stage.platform.clock.nowMs();
const inDays = (days: number) => dayFrom(nowMs(), days);
async function pass(days: number): Promise<void> {
  stage.platform.clock.advance(days * DAY_MS);
  const runner = worker.get(AutomationWorker);
  while ((await runner.pass()) !== 'none');
}
const body = (employeeId: string, startDate: string, endDate: string, more: Json = {}): Json => ({
  employeeId,
  type: 'vacation',
  startDate,
  endDate,
  ...more,
});
const ask = (employeeId: string, startDate: string, endDate: string, more: Json = {}) =>
  tenant.api.post(TIME_OFF, body(employeeId, startDate, endDate, more));
const make = (employeeId: string, startDate: string, endDate: string, more: Json = {}) =>
  made(tenant.api, TIME_OFF, body(employeeId, startDate, endDate, more));
const balances = async (employeeId: string, year?: number) => {
  const { body: answer } = await tenant.api.get<{ data: Json[] }>(
    `${TIME_OFF}/balances?employeeId=${employeeId}${year ? `&year=${year}` : ''}`,
  );
  return answer.data;
};
const status = async (id: string) => (await tenant.api.get(`${EMPLOYEES}/${id}`)).body['status'];

describe('the days', () => {
  it.each([
    ['2027-03-01', '2027-03-05', {}, 5],
    ['2027-03-01', '2027-03-07', {}, 5],
    ['2027-03-01', '2027-03-14', {}, 10],
    ['2027-03-01', '2027-03-05', { startHalf: true }, 4.5],
    ['2027-03-01', '2027-03-05', { startHalf: true, endHalf: true }, 4],
    ['2027-03-01', '2027-03-01', { endHalf: true }, 0.5],
    ['2027-03-05', '2027-03-07', { endHalf: true }, 1], // ends on Sunday at noon
    ['2028-02-28', '2028-03-01', {}, 3],
  ])('from %s to %s with %j are %d, by the work schedule', async (startDate, endDate, more, days) => {
    const { id } = await makeEmployee(tenant.api);
    expect(await make(id, startDate, endDate, more)).toMatchObject({ days, status: 'requested', startDate, endDate });
  });

  it('count only the working days of the employee', async () => {
    const workSchedule = { weeklyMinutes: 960, days: ['sat', 'tue'] };
    const { id } = await makeEmployee(tenant.api, { workSchedule });
    expect(await make(id, '2027-03-01', '2027-03-14')).toMatchObject({ days: 4 });
    const none = await ask(id, '2027-04-04', '2027-04-05');
    expect(none).toMatchObject({ status: 400, body: { errors: [{ code: 'no_work_day' }] } });
  });

  it.each([
    ['2027-03-05', '2027-03-01', {}, '/endDate'],
    ['2027-03-01', '2027-03-01', { startHalf: true, endHalf: true }, '/endHalf'],
    ['2027-03-01', '2029-04-01', {}, '/endDate'],
  ])('from %s to %s with %j are rejected', async (startDate, endDate, more, pointer) => {
    const { id } = await makeEmployee(tenant.api);
    const answer = await ask(id, startDate, endDate, more);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });

  it('can be changed until the request is decided', async () => {
    const { id: employeeId } = await makeEmployee(tenant.api);
    const { id } = await make(employeeId, '2027-03-01', '2027-03-05');
    const path = `${TIME_OFF}/${id}`;
    const changed = await tenant.api.patch(path, { endDate: '2027-03-03' });
    expect(changed.body).toMatchObject({ days: 3, name: 'Time off 2027-03-01 to 2027-03-03' });
    await acted(tenant.api, TIME_OFF, id, 'approve');
    expect(outcome(await tenant.api.patch(path, { endDate: '2027-03-02' }))).toEqual([409, 'record_locked']);
    expect((await tenant.api.patch(path, { note: 'Call me' })).status).toBe(200);
  });
});

describe('time off never overlaps', () => {
  it('unless one of the two was rejected or cancelled; a morning and an afternoon do not overlap', async () => {
    const { id } = await makeEmployee(tenant.api);
    const { id: other } = await makeEmployee(tenant.api);
    const first = await make(id, '2027-03-01', '2027-03-05', { endHalf: true });
    expect(outcome(await ask(id, '2027-03-05', '2027-03-08'))).toEqual([409, 'time_off_overlap']);
    expect(outcome(await ask(id, '2027-02-20', '2027-03-20', { type: 'sick' }))).toEqual([409, 'time_off_overlap']);
    await make(id, '2027-03-05', '2027-03-08', { startHalf: true });
    await make(other, '2027-03-01', '2027-03-05');
    await acted(tenant.api, TIME_OFF, first.id, 'cancel');
    const again = await make(id, '2027-03-01', '2027-03-04');
    expect(outcome(await tenant.api.patch(`${TIME_OFF}/${again.id}`, { endDate: '2027-03-05' }))).toEqual([
      409,
      'time_off_overlap',
    ]);
    await tenant.api.delete(`${TIME_OFF}/${again.id}`);
    await make(id, '2027-03-02', '2027-03-02');
    expect(outcome(await tenant.api.post(`${TIME_OFF}/${again.id}/restore`))).toEqual([409, 'time_off_overlap']);
  });

  it('even with ten concurrent requests', async () => {
    const { id } = await makeEmployee(tenant.api);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => ask(id, `2027-03-0${1 + (i % 3)}`, '2027-03-05')),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 201) expect(outcome(answer)).toEqual([409, 'time_off_overlap']);
  });
});

describe('the approver', () => {
  it('is the manager or holds the scope, and is never the requester', async () => {
    const [manager, person, colleague] = [
      await stage.platform.member(tenant, 'Boss', ['time-off:read', 'time-off:write']),
      await stage.platform.member(tenant, 'Ada'),
      await stage.platform.member(tenant, 'Bob', ['time-off:read', 'time-off:write']),
    ];
    const boss = await makeEmployee(tenant.api, { membershipId: manager.id });
    const { id: employeeId } = await makeEmployee(tenant.api, { membershipId: person.id, managerId: boss.id });
    const own = await make(boss.id, '2027-03-01', '2027-03-05');
    const { id } = await make(employeeId, '2027-03-01', '2027-03-05');
    const path = `${TIME_OFF}/${id}`;
    for (const answer of [
      await person.api.post(`${path}/approve`),
      await person.api.patch(path, { status: 'approved' }),
      await person.api.post(`${path}/reject`, { reason: 'x' }),
    ])
      expect(outcome(answer)).toEqual([403, 'not_by_oneself']);
    expect(outcome(await colleague.api.patch(path, { status: 'approved' }))).toEqual([403, 'permission_denied']);
    expect(outcome(await manager.api.patch(`${TIME_OFF}/${own.id}`, { status: 'approved' }))).toEqual([
      403,
      'not_by_oneself',
    ]);
    expect((await manager.api.patch(path, { status: 'approved' })).body).toMatchObject({ status: 'approved' });
    const approver = await stage.platform.key(tenant, ['time-off:approve']);
    expect((await approver.post(`${TIME_OFF}/${own.id}/approve`)).status).toBe(200);
  });
});

describe('a balance', () => {
  const policy = (more: Json = {}) =>
    made(tenant.api, POLICIES, { type: 'vacation', daysPerYear: 24, carryOverDays: 5, ...more });
  const year = () => Number(inDays(0).slice(0, 4));
  /** The Monday on or after a date. */
  const mondayFrom = (date: string) => dayFrom(Date.parse(date), (8 - new Date(date).getUTCDay()) % 7);
  /** Number of working days among so many from a date on. */
  const workDays = (date: string, days: number) =>
    Array.from({ length: days }, (_, n) => new Date(dayFrom(Date.parse(date), n)).getUTCDay()).filter(
      (day) => day % 6 > 0,
    ).length;

  it('is the allowance less planned and used days', async () => {
    await policy();
    const { id } = await makeEmployee(tenant.api, { startDate: '2020-01-01' });
    const next = year() + 1;
    const planned = await make(id, `${next}-03-01`, `${next}-03-12`);
    const days = planned['days'] as number;
    expect(await balances(id)).toMatchObject([
      {
        employeeId: id,
        type: 'vacation',
        year: year(),
        carriedOver: 0,
        accrued: 24,
        used: 0,
        planned: 0,
        available: 24,
      },
    ]);
    await acted(tenant.api, TIME_OFF, planned.id, 'approve');
    expect(await balances(id, next)).toMatchObject([
      { carriedOver: 5, accrued: 0, planned: days, available: 5 - days },
    ]);
    await acted(tenant.api, TIME_OFF, planned.id, 'cancel');
    expect(await balances(id, next)).toMatchObject([{ planned: 0, available: 5 }]);
    // Of the year whose balance is compared.
    if (inDays(-9) < `${year()}-01-01`) await pass(9);
    const past = await make(id, inDays(-9), inDays(-3));
    await acted(tenant.api, TIME_OFF, past.id, 'approve');
    expect(await balances(id)).toMatchObject([{ planned: past['days'], used: 0 }]);
    await pass(0);
    expect(await balances(id)).toMatchObject([
      { planned: 0, used: past['days'], available: 24 - (past['days'] as number) },
    ]);
  });

  it('is unlimited without a policy, and empty for an unknown employee', async () => {
    const { id } = await makeEmployee(tenant.api);
    const { id: sick } = await make(id, '2027-03-01', '2027-03-05', { type: 'sick' });
    await acted(tenant.api, TIME_OFF, sick, 'approve');
    expect(await balances(id, 2027)).toMatchObject([{ type: 'sick', planned: 5, available: null }]);
    expect(await balances('019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60')).toEqual([]);
  });

  it('never falls below the limit of the policy, even under concurrent approvals', async () => {
    await policy({ daysPerYear: 10, carryOverDays: 0, allowNegativeDays: 2 });
    const { id } = await makeEmployee(tenant.api, { startDate: '2020-01-01' });
    const first = mondayFrom(`${year() + 1}-02-01`);
    const asked: string[] = [];
    for (const monday of [0, 7, 14, 21, 28].map((days) => dayFrom(Date.parse(first), days)))
      asked.push((await make(id, monday, dayFrom(Date.parse(monday), 3))).id);
    const answers = await Promise.all(asked.map((each) => tenant.api.post(`${TIME_OFF}/${each}/approve`)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 200, 409, 409]);
    for (const answer of answers) if (answer.status !== 200) expect(answer.body['code']).toBe('balance_exceeded');
    const later = mondayFrom(`${year() + 1}-06-01`);
    expect(outcome(await ask(id, later, later))).toEqual([409, 'balance_exceeded']);
    const [sum] = await stage.sql<{ half_days: string }>(
      `select sum(half_days) as half_days from data.people_time_off_ledger where employee_id = $1 and kind = 'booked'`,
      [id],
    );
    expect(sum!.half_days).toBe('24');
  });

  it('splits time off over New Year between both years', async () => {
    const { id } = await makeEmployee(tenant.api, { startDate: '2020-01-01' });
    await policy();
    const [old, fresh] = [year() + 1, year() + 2];
    const { id: absence } = await make(id, `${old}-12-25`, `${fresh}-01-05`);
    await acted(tenant.api, TIME_OFF, absence, 'approve');
    expect(await balances(id, old)).toMatchObject([{ planned: workDays(`${old}-12-25`, 7) }]);
    expect(await balances(id, fresh)).toMatchObject([{ planned: workDays(`${fresh}-01-01`, 5) }]);
  });

  it('has one policy per type', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => tenant.api.post(POLICIES, { type: 'vacation', daysPerYear: 24.5 })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409]);
    const refused = answers.find((answer) => answer.status === 409)!;
    expect(refused.body).toMatchObject({ code: 'duplicate', field: 'type' });
    expect((await tenant.api.post(POLICIES, { type: 'sick', daysPerYear: 1.25 })).status).toBe(400);
  });

  it('is based on immutable entries', async () => {
    const [rights] = await stage.sql<{ may: boolean }>(
      `select bool_or(has_table_privilege(r.rolname, 'data.people_time_off_ledger', p)) as may
       from pg_roles r, unnest(array['update', 'delete', 'truncate']) p where r.rolname like 'platform_test%app' or r.rolname like 'platform_test%system'`,
    );
    expect(rights!.may).toBe(false);
  });
});

describe('scheduled changes', () => {
  it('mark approved time off as taken when it ends, and a long absence as a leave', async () => {
    await tenant.api.patch('/api/admin/settings', { people: { leaveStatusAfterDays: 10 } });
    const { id: long } = await makeEmployee(tenant.api);
    const { id: short } = await makeEmployee(tenant.api);
    const [away, holiday] = [await make(long, inDays(2), inDays(12)), await make(short, inDays(2), inDays(6))];
    for (const { id } of [away, holiday]) await acted(tenant.api, TIME_OFF, id, 'approve');
    await pass(1);
    expect(await status(long)).toBe('active');
    await pass(1);
    expect([await status(long), await status(short)]).toEqual(['on_leave', 'active']);
    await pass(5);
    expect((await tenant.api.get(`${TIME_OFF}/${holiday.id}`)).body).toMatchObject({ status: 'taken' });
    expect((await tenant.api.get(`${TIME_OFF}/${away.id}`)).body).toMatchObject({ status: 'approved' });
    await pass(6);
    expect((await tenant.api.get(`${TIME_OFF}/${away.id}`)).body).toMatchObject({ status: 'taken' });
    expect(await status(long)).toBe('active');
  });

  it('extend a leave with an adjacent absence, and end it when it is cancelled', async () => {
    await tenant.api.patch('/api/admin/settings', { people: { leaveStatusAfterDays: 10 } });
    const { id } = await makeEmployee(tenant.api);
    const first = await make(id, inDays(1), inDays(10), { type: 'parental' });
    const next = await make(id, inDays(11), inDays(25), { type: 'parental' });
    for (const each of [first, next]) await acted(tenant.api, TIME_OFF, each.id, 'approve');
    await pass(1);
    expect(await status(id)).toBe('on_leave');
    await pass(10);
    expect(await status(id)).toBe('on_leave');
    await acted(tenant.api, TIME_OFF, next.id, 'cancel');
    expect(await status(id)).toBe('active');
    await pass(20);
    expect(await status(id)).toBe('active');
  });
});
