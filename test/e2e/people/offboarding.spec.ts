import type { INestApplicationContext } from '@nestjs/common';
import { DAY_MS } from '#libs/kernel/durations.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import type { TestTenant } from '../../harness/platform.js';
import type { Json } from '../../matrix/operations.js';
import { exhaust } from '../../worker/automation-stage.js';
import { Stage } from '../../worker/stage.js';
import { acted, dayFrom, EMPLOYEES, made, makeEmployee, outcome, TIME_OFF } from './people-calls.js';

/** Offboardings that are withdrawn or moved, and time off around the end of an employment. */
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

const TASKS = '/api/v1/work/tasks';
const CHECKLISTS = '/api/operations/checklists';

const inDays = (days: number) => dayFrom(stage.platform.clock.nowMs(), days);
const read = async (path: string, id: string) => (await tenant.api.get(`${path}/${id}`)).body;
const act = (id: string, action: string, body?: Json) => acted(tenant.api, EMPLOYEES, id, action, body);
const lists = async (id: string) =>
  (await tenant.api.get<{ data: Json[] }>(`${CHECKLISTS}?subject=people.employee:${id}`)).body.data;
async function pass(days = 0): Promise<void> {
  stage.platform.clock.advance(days * DAY_MS);
  await worker.get(EventRelay).pass();
  await exhaust(worker);
}
async function person(name: string, more: Json = {}) {
  const { id: membershipId } = await stage.platform.member(tenant, name, ['*'], { roles: ['admin'] });
  return { id: (await makeEmployee(tenant.api, { name, membershipId, ...more })).id, membershipId };
}
const leaving = (days: number) => ({ terminationDate: inDays(days), type: 'voluntary', reason: 'Moves away' });
const NOT_LEAVING = { terminationDate: null, terminationType: null, terminationReason: null };
async function useTemplate(): Promise<void> {
  const steps = [
    { key: 'talk', title: 'Talk', offsetDays: -3 },
    { key: 'laptop', title: 'Laptop returned', offsetDays: 0 },
    { key: 'papers', title: 'Papers sent', offsetDays: 2 },
    { key: 'party', title: 'Party', offsetDays: null },
  ];
  const template = await made(tenant.api, '/api/settings/checklist-templates', {
    name: 'Leaving',
    appliesTo: 'offboarding',
    checklistItems: steps,
  });
  await tenant.api.patch('/api/admin/settings', { people: { offboardingTemplate: template.id } });
}

describe('a withdrawn offboarding', () => {
  it.each([
    ['active', []],
    ['on_leave', [['leave']]],
    ['suspended', [['suspend', { reason: 'x' }]]],
  ] as [string, [string, Json?][]][])('of an employee who was %s returns to that state', async (state, before) => {
    const { id } = await person('Ada');
    for (const [action, body] of before) await act(id, action, body);
    await act(id, 'start-offboarding', leaving(2));
    expect(await act(id, 'withdraw-offboarding')).toMatchObject({ status: state, ...NOT_LEAVING });
    await pass(4);
    expect(await read(EMPLOYEES, id)).toMatchObject({ status: state, accessRemovedAt: null });
    const again = await tenant.api.post(`${EMPLOYEES}/${id}/withdraw-offboarding`);
    expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition', state } });
  });

  it('returns a suspended employee to the state before the suspension when reinstated', async () => {
    const { id } = await makeEmployee(tenant.api);
    await act(id, 'leave');
    await act(id, 'suspend', { reason: 'x' });
    await act(id, 'start-offboarding', leaving(2));
    await act(id, 'withdraw-offboarding');
    expect(await act(id, 'reinstate')).toMatchObject({ status: 'on_leave' });
  });

  it.each([
    ['begins', 'active', 1, 30, 'on_leave'],
    ['ends', 'on_leave', 0, 20, 'active'],
  ])('counts a leave that %s meanwhile', async (_how, before, from, to, after) => {
    const { id } = await person('Ada');
    await tenant.api.patch('/api/admin/settings', { people: { leaveStatusAfterDays: 5 } });
    const { id: absence } = await made(tenant.api, TIME_OFF, {
      employeeId: id,
      type: 'parental',
      startDate: inDays(from),
      endDate: inDays(to),
    });
    await acted(tenant.api, TIME_OFF, absence, 'approve');
    await pass();
    expect(await read(EMPLOYEES, id)).toMatchObject({ status: before });
    await act(id, 'start-offboarding', leaving(60));
    await pass(25);
    expect(await act(id, 'withdraw-offboarding')).toMatchObject({ status: after });
  });

  it('settles its checklist and cancels the task to hand over the work; another offboarding begins anew', async () => {
    await useTemplate();
    const { id } = await person('Ada');
    await act(id, 'start-offboarding', leaving(10));
    await pass();
    const tasks = async () =>
      (await tenant.api.get<{ data: Json[] }>(`${TASKS}?sort=createdAt`)).body.data.map((task) => task['state']);
    await made(tenant.api, TASKS, { name: 'Own', state: 'todo', relatedTo: { object: 'people.employee', id } });
    expect(await tasks()).toEqual(['todo', 'todo']);
    const [first] = await lists(id);
    await tenant.api.patch(`${CHECKLISTS}/${String(first!['id'])}/items/talk`, { status: 'done' });
    await act(id, 'withdraw-offboarding');
    await pass();
    expect(await tasks()).toEqual(['cancelled', 'todo']);
    const reason = 'The offboarding was withdrawn.';
    expect((await lists(id))[0]).toMatchObject({
      completedAt: expect.any(String) as unknown,
      items: [{ status: 'done' }, { status: 'skipped', reason }, { status: 'skipped', reason }, { status: 'skipped' }],
    });
    await act(id, 'start-offboarding', leaving(20));
    await pass();
    expect(await lists(id)).toMatchObject([{}, { completedAt: null, startDate: inDays(20) }]);
    expect(await tasks()).toEqual(['cancelled', 'todo', 'todo']);
  });

  it('says nothing of its dates and reasons in events and the audit log', async () => {
    const { id } = await person('Ada');
    await act(id, 'start-offboarding', { ...leaving(0), terminationDate: '2099-06-08', reason: 'Secret plan' });
    await act(id, 'change-last-day', { terminationDate: '2099-06-09' });
    await act(id, 'withdraw-offboarding');
    const told = await stage.sql<{ text: string }>(
      `select envelope::text as text from data.events where tenant_id = $1
       union all select a::text from data.audit_log a where tenant_id = $1`,
      [tenant.id],
    );
    const text = told.map((row) => row.text).join();
    for (const event of ['offboarding_withdrawn', 'last_day_changed']) expect(text).toContain(event);
    expect(text).not.toMatch(/2099-06-0|Secret plan/);
  });
});

describe('a new last day', () => {
  it.each([
    ['later', '2099-06-08', '2099-06-15', ['2099-06-10', '2099-06-15', '2099-06-17']],
    ['earlier', '2099-06-15', '2099-06-08', ['2099-06-03', '2099-06-08', '2099-06-10']],
    ['on a Saturday', '2099-06-08', '2099-06-13', ['2099-06-10', '2099-06-15', '2099-06-16']],
    ['after a Saturday', '2099-06-13', '2099-06-08', ['2099-06-03', '2099-06-08', '2099-06-10']],
  ])('%s moves the open items of the checklist', async (_how, from, to, dates) => {
    await useTemplate();
    const { id } = await makeEmployee(tenant.api);
    await act(id, 'start-offboarding', { ...leaving(0), terminationDate: from });
    await act(id, 'change-last-day', { terminationDate: to });
    const [list] = await lists(id);
    const due = (list!['items'] as Json[]).map((item) => item['dueDate']);
    expect([list!['startDate'], ...due]).toEqual([to, ...dates, null]);
  });

  it('moves the end of the employment, and settled items stay', async () => {
    await useTemplate();
    const { id } = await makeEmployee(tenant.api);
    await act(id, 'start-offboarding', leaving(2));
    const [list] = await lists(id);
    const [talk] = list!['items'] as Json[];
    await tenant.api.patch(`${CHECKLISTS}/${String(list!['id'])}/items/talk`, { status: 'done' });
    expect(await act(id, 'change-last-day', { terminationDate: inDays(5) })).toMatchObject({
      status: 'offboarding',
      terminationDate: inDays(5),
    });
    expect(((await lists(id))[0]!['items'] as Json[])[0]).toMatchObject({ dueDate: talk!['dueDate'] });
    await pass(4);
    expect(await read(EMPLOYEES, id)).toMatchObject({ status: 'offboarding' });
    await pass(2);
    expect(await read(EMPLOYEES, id)).toMatchObject({ status: 'terminated', terminationType: 'voluntary' });
  });

  it('is refused before the first day, if it is the same, and without an offboarding', async () => {
    const { id } = await makeEmployee(tenant.api, { startDate: inDays(-3) });
    const move = (days: number) =>
      tenant.api.post(`${EMPLOYEES}/${id}/change-last-day`, { terminationDate: inDays(days) });
    expect(outcome(await move(9))).toEqual([409, 'invalid_transition']);
    await act(id, 'start-offboarding', leaving(9));
    const early = { errors: [{ pointer: '/terminationDate', code: 'out_of_range' }] };
    expect(await move(-4)).toMatchObject({ status: 400, body: early });
    expect(outcome(await move(9))).toEqual([409, 'invalid_transition']);
  });
});

describe('time off', () => {
  const ask = (employeeId: string, from: number, to: number) =>
    tenant.api.post(TIME_OFF, { employeeId, type: 'unpaid', startDate: inDays(from), endDate: inDays(to) });
  const refused = (pointer: string) => ({ status: 400, body: { errors: [{ pointer, code: 'out_of_range' }] } });

  it('outside the employment is refused, new, moved or approved', async () => {
    const { id } = await makeEmployee(tenant.api, { startDate: inDays(-10) });
    expect(await ask(id, -12, 0)).toMatchObject(refused('/startDate'));
    const { id: absence } = (await ask(id, 20, 26)).body as { id: string };
    await act(id, 'start-offboarding', leaving(30));
    expect(await ask(id, 28, 34)).toMatchObject(refused('/endDate'));
    expect(await ask(id, 31, 38)).toMatchObject(refused('/startDate'));
    const patched = await tenant.api.patch(`${TIME_OFF}/${absence}`, { endDate: inDays(33) });
    expect(patched).toMatchObject(refused('/endDate'));
    await act(id, 'change-last-day', { terminationDate: inDays(23) });
    expect(outcome(await tenant.api.post(`${TIME_OFF}/${absence}/approve`))).toEqual([409, 'invalid_transition']);
    await act(id, 'withdraw-offboarding');
    await acted(tenant.api, TIME_OFF, absence, 'approve');
  });

  it('keeps the first day from moving behind it', async () => {
    const { id } = await makeEmployee(tenant.api, { startDate: inDays(10) });
    const { id: absence } = (await ask(id, 20, 26)).body as { id: string };
    const start = (days: number) => tenant.api.patch(`${EMPLOYEES}/${id}`, { startDate: inDays(days) });
    expect(await start(21)).toMatchObject(refused('/startDate'));
    expect(await start(20)).toMatchObject({ status: 200 });
    await acted(tenant.api, TIME_OFF, absence, 'cancel');
    expect(await start(21)).toMatchObject({ status: 200 });
  });

  it('of later days is cancelled when the employment ends, and the manager is told', async () => {
    const boss = await stage.platform.member(tenant, 'Boss', ['*'], { roles: ['admin'] });
    const { id: managerId } = await makeEmployee(tenant.api, { membershipId: boss.id });
    const workSchedule = { weeklyMinutes: 2_400, days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] };
    const { id } = await makeEmployee(tenant.api, { managerId, workSchedule });
    await made(tenant.api, '/api/v1/people/time-off-policies', {
      name: 'Unpaid',
      type: 'unpaid',
      daysPerYear: 30,
      accrual: 'yearly',
    });
    const make = async (from: number, to: number, approved: boolean) => {
      const { id: made } = (await ask(id, from, to)).body as { id: string };
      if (approved) await acted(tenant.api, TIME_OFF, made, 'approve');
      return made;
    };
    const [now, past, later, asked] = [
      await make(-1, 2, true),
      await make(-5, -4, false),
      await make(5, 6, true),
      await make(8, 9, false),
    ];
    await act(id, 'terminate', { type: 'other' });
    await pass();
    await pass(); // the notices follow from what the first pass did
    expect(await read(TIME_OFF, now)).toMatchObject({ status: 'taken', endDate: inDays(0), days: 2 });
    expect(await read(TIME_OFF, past)).toMatchObject({ status: 'requested' });
    for (const each of [later, asked]) expect(await read(TIME_OFF, each)).toMatchObject({ status: 'cancelled' });
    await acted(tenant.api, TIME_OFF, past, 'approve');
    const notices = (await boss.api.get<{ data: Json[] }>('/api/home/notifications')).body.data;
    const titles = notices.map((notice) => String(notice['title'])).filter((title) => title.startsWith('Cancelled'));
    expect(titles).toHaveLength(2);
    const balances = (await tenant.api.get<{ data: Json[] }>(`${TIME_OFF}/balances?employeeId=${id}`)).body.data;
    const days = balances.reduce((sum, each) => sum + Number(each['used']) + Number(each['planned']), 0);
    expect(days).toBe(4);
  });
});
