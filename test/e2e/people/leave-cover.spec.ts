import type { INestApplicationContext } from '@nestjs/common';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { Client } from '../../harness/client.js';
import type { TestTenant } from '../../harness/platform.js';
import { Stage } from '../../worker/stage.js';
import { decide, park, setGate } from '../approvals/approval-calls.js';
import { acted, dayFrom, EMPLOYEES, made, makeEmployee, TIME_OFF } from './people-calls.js';

const PROFILE = '/api/settings/profile';
const OPEN_END = '9999-12-31';

/** The absence of members on leave, for which their manager stands in. */
let stage: Stage;
let tenant: TestTenant;
let worker: INestApplicationContext;
let ada: { id: string; api: Client };
let manager: { id: string; api: Client };
/** The employee of Ada, whose manager is a member too. */
let employeeId: string;
beforeAll(async () => {
  stage = await Stage.open();
  worker = await stage.idleWorker();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  await tenant.api.patch('/api/admin/settings', { people: { leaveStatusAfterDays: 5 } });
  ada = await member('Ada', 'manager');
  manager = await member('Max', 'manager');
  const { id: managerId } = await makeEmployee(tenant.api, { membershipId: manager.id });
  ({ id: employeeId } = await makeEmployee(tenant.api, { membershipId: ada.id, managerId }));
});
afterAll(() => stage.close());

const member = (name: string, role: 'owner' | 'member' | 'manager') =>
  stage.platform.member(tenant, name, ['*'], { roles: [role] });
const inDays = (days: number) => dayFrom(stage.platform.clock.nowMs(), days);
async function pass(days: number): Promise<void> {
  stage.platform.clock.advance(days * DAY_MS);
  const runner = worker.get(AutomationWorker);
  while ((await runner.pass()) !== 'none');
}
async function approve(from: number, to: number, id = employeeId): Promise<string> {
  const body = { employeeId: id, type: 'parental', startDate: inDays(from), endDate: inDays(to) };
  const timeOff = await made(tenant.api, TIME_OFF, body);
  await acted(tenant.api, TIME_OFF, timeOff.id, 'approve');
  return timeOff.id;
}
const act = (action: string, body?: Record<string, unknown>) => acted(tenant.api, EMPLOYEES, employeeId, action, body);
const awayOf = async ({ api } = ada) => (await api.get<{ outOfOffice: object | null }>(PROFILE)).body.outOfOffice;

it('lasts as long as the time off that began the leave, and lets the manager decide approvals', async () => {
  await setGate(tenant, { approvers: { memberIds: [ada.id] } });
  const parked = await park((await member('Eve', 'manager')).api);
  await approve(2, 12);
  await approve(14, 16); // too short for a leave
  await pass(1);
  expect(await awayOf()).toBeNull();
  expect(await decide(manager.api, parked, 'approve')).toMatchObject({ status: 403 });
  await pass(1);
  expect(await awayOf()).toEqual({ fromDate: inDays(0), toDate: inDays(10), delegateId: manager.id });
  expect(await decide(manager.api, parked, 'approve')).toMatchObject({
    status: 200,
    body: { decisions: [{ by: { membershipId: manager.id }, onBehalfOf: { membershipId: ada.id } }] },
  });
  await pass(11);
  expect(await awayOf()).toBeNull();
  await pass(1);
  expect(await awayOf()).toBeNull();
});

it('lasts until the return if no time off says when the leave ends', async () => {
  await act('leave');
  expect(await awayOf()).toEqual({ fromDate: inDays(0), toDate: OPEN_END, delegateId: manager.id });
  await act('return');
  expect(await awayOf()).toBeNull();
});

it('is extended by time off that follows, and ends when that is cancelled', async () => {
  const fromDate = inDays(1);
  await approve(1, 7);
  const next = await approve(8, 20);
  await pass(1);
  expect(await awayOf()).toMatchObject({ fromDate, toDate: inDays(6) });
  await pass(7);
  expect(await awayOf()).toEqual({ fromDate, toDate: inDays(12), delegateId: manager.id });
  await acted(tenant.api, TIME_OFF, next, 'cancel');
  expect(await awayOf()).toBeNull();
});

it('is not set over an absence that members have set themselves, unless that is over', async () => {
  const delegate = await member('Bob', 'member');
  const own = { fromDate: inDays(1), toDate: inDays(3), delegateId: delegate.id };
  expect(await ada.api.patch(PROFILE, { outOfOffice: own })).toMatchObject({ status: 200 });
  await act('leave');
  expect(await awayOf()).toEqual(own);
  await act('return');
  expect(await awayOf()).toEqual(own);
  stage.platform.clock.advance(4 * DAY_MS);
  await act('leave');
  expect(await awayOf()).toMatchObject({ fromDate: inDays(0), delegateId: manager.id });
});

it('belongs to members as soon as they change it', async () => {
  const delegate = await member('Bob', 'member');
  await act('leave');
  const own = { fromDate: inDays(0), toDate: inDays(30), delegateId: delegate.id };
  expect(await ada.api.patch(PROFILE, { outOfOffice: own })).toMatchObject({ status: 200 });
  await act('return');
  expect(await awayOf()).toEqual(own);
});

it('survives a suspension, and ends with the leave in every other way', async () => {
  await act('leave');
  const away = await awayOf();
  expect(away).not.toBeNull();
  await act('suspend', { reason: 'Investigation' });
  await act('reinstate');
  expect(await awayOf()).toEqual(away);
  await act('start-offboarding', { terminationDate: inDays(9), type: 'voluntary' });
  expect(await awayOf()).toBeNull();
});

it('does not come back with a terminated member who is hired again', async () => {
  await act('leave');
  await act('suspend', { reason: 'Investigation' });
  await act('terminate', { type: 'other' });
  await pass(1);
  await act('rehire', { startDate: inDays(0) });
  await tenant.api.patch(`/api/admin/memberships/${ada.id}`, { status: 'active' });
  const api = await stage.platform.key(tenant, ['*'], { memberId: ada.id });
  expect(await awayOf({ ...ada, api })).toBeNull();
});

it('needs a manager with an active membership and no fewer rights', async () => {
  const { managerId: ours } = (await tenant.api.get(`${EMPLOYEES}/${employeeId}`)).body;
  const owner = await member('Olga', 'owner');
  const cases: [person: typeof ada | null, managerId: unknown][] = [
    [null, ours],
    [await member('Bob', 'member'), undefined],
    [owner, ours],
  ];
  for (const [person, managerId] of cases) {
    const { id } = await makeEmployee(tenant.api, { membershipId: person?.id, managerId });
    expect(await acted(tenant.api, EMPLOYEES, id, 'leave')).toMatchObject({ status: 'on_leave' });
    if (person) expect(await awayOf(person)).toBeNull();
    expect(await acted(tenant.api, EMPLOYEES, id, 'return')).toMatchObject({ status: 'active' });
  }
});
