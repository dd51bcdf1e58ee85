import { jest } from '@jest/globals';
import { addDays, civilDateAt } from '#libs/kernel/civil-time.js';
import { TenantOnboarding } from '#libs/tenants/tenant-onboarding.js';
import { BlockReader } from '#src/areas/home/start/block-reader.js';
import { RecentRecords } from '#src/areas/home/start/recent-records.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { park, setGate } from '../approvals/approval-calls.js';
import { makeEmployee, TIME_OFF } from '../people/people-calls.js';
import { act, DEALS, makeDeal } from '../sales/deal-calls.js';
import { INTERVIEWS, makeApplication, makeCandidate, openJob } from '../talent/talent-calls.js';
import { TIME } from '../work/work-calls.js';
import { changed, created, idsOf, makeWorkspace, readHome } from './home-calls.js';

const TASKS = '/api/v1/work/tasks';

let platform: TestPlatform;
let tenant: TestTenant;
let ada: { id: string; api: Client };
let bob: { id: string; api: Client };
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  [ada, bob] = await Promise.all([platform.member(tenant, 'Ada'), platform.member(tenant, 'Bob')]);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => platform.close());

const todayIn = (timeZone: string) => civilDateAt(platform.clock.nowMs(), timeZone);
const today = () => todayIn('UTC');

describe('the tasks', () => {
  const task = async (dueDate: string, more: object = {}) =>
    (await created(tenant.api, TASKS, { name: `Due ${dueDate}`, dueDate, assigneeIds: [ada.id], ...more })).id;

  it('are those assigned to the caller, by due date', async () => {
    const day = today();
    const [late, earlier] = [await task(addDays(day, -1)), await task(addDays(day, -9))];
    const due = await task(day);
    const [last, next] = [await task(addDays(day, 7)), await task(addDays(day, 1))];
    await task(addDays(day, 8));
    await task(day, { assigneeIds: [bob.id] });
    await changed(tenant.api, 'POST', `${TASKS}/${await task(day)}/complete`);
    const { data } = (await readHome(ada.api)).tasks!;
    expect(idsOf(data!.overdue)).toEqual([earlier, late]);
    expect(idsOf(data!.today)).toEqual([due]);
    expect(idsOf(data!.next7d)).toEqual([next, last]);
    expect(data!.today[0]).toMatchObject({
      object: 'work.task',
      state: 'backlog',
      dueDate: day,
      url: `${TASKS}/${due}`,
    });
  });

  it('are due by the time zone of the person', async () => {
    const [east, west] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago']; // 25 hours apart
    const due = await task(todayIn(east));
    await changed(ada.api, 'PATCH', '/api/settings/profile', { timezone: east });
    const eastern = await readHome(ada.api);
    expect(eastern).toMatchObject({ timezone: east, today: todayIn(east) });
    expect(idsOf(eastern.tasks!.data!.today)).toEqual([due]);
    await changed(ada.api, 'PATCH', '/api/settings/profile', { timezone: west });
    const western = await readHome(ada.api);
    expect(western.today).toBe(todayIn(west));
    expect(idsOf(western.tasks!.data!.next7d)).toEqual([due]);
  });
});

it('the deals are open, of the caller, and close within 14 days', async () => {
  const deal = (days: number, ownerId = ada.id) =>
    makeDeal(tenant.api, { ownerId, expectedCloseDate: addDays(today(), days), value: 10 });
  const [last, first] = [await deal(14), await deal(0)];
  await act(tenant.api, (await deal(3)).id, 'win');
  for (const days of [-1, 15]) await deal(days);
  await deal(1, bob.id);
  const { data } = (await readHome(ada.api)).deals!;
  expect(idsOf(data)).toEqual([first.id, last.id]);
  expect(data![0]).toMatchObject({ valueMinor: 1_000, currency: 'USD', expectedCloseDate: today() });
});

it('the interviews are those of today that the caller conducts', async () => {
  const { id: jobId } = await openJob(tenant.api);
  const { id: candidateId } = await makeCandidate(tenant.api);
  const { id: applicationId } = await makeApplication(tenant.api, candidateId, { jobId });
  const interview = async (days: number, hour: string, interviewerIds: string[]) => {
    const day = addDays(today(), days);
    const times = { startAt: `${day}T${hour}:00:00.000Z`, endAt: `${day}T${hour}:30:00.000Z` };
    return (await created(tenant.api, INTERVIEWS, { applicationId, interviewerIds, ...times })).id;
  };
  const late = await interview(0, '23', [bob.id, ada.id]);
  const early = await interview(0, '00', [ada.id]);
  await interview(1, '00', [ada.id]);
  await interview(-1, '23', [ada.id]);
  await interview(0, '12', [bob.id]);
  await changed(tenant.api, 'POST', `${INTERVIEWS}/${await interview(0, '13', [ada.id])}/cancel`);
  expect(idsOf((await readHome(ada.api)).interviews!.data)).toEqual([early, late]);
});

it('time off waits for the manager, and is shown to the employee', async () => {
  const boss = await platform.member(tenant, 'Boss', ['*'], { roles: ['member'] });
  const hr = await platform.member(tenant, 'HR');
  const { id: managerId } = await makeEmployee(tenant.api, { membershipId: boss.id });
  const { id: employeeId } = await makeEmployee(tenant.api, { membershipId: ada.id, managerId });
  const { id: otherId } = await makeEmployee(tenant.api, { membershipId: bob.id });
  const ask = async (days: number, who = employeeId) => {
    const dates = { startDate: addDays(today(), days), endDate: addDays(today(), days + 6) };
    return (await created(tenant.api, TIME_OFF, { employeeId: who, type: 'unpaid', ...dates })).id;
  };
  const [later, sooner, other] = [await ask(40), await ask(20), await ask(60, otherId)];
  await ask(-30);
  await changed(boss.api, 'PATCH', `${TIME_OFF}/${later}`, { status: 'approved' }); // needs no scope
  const own = (await readHome(ada.api)).timeOff!.data!.own;
  expect(own.map(({ id, status }) => [id, status])).toEqual([
    [sooner, 'requested'],
    [later, 'approved'],
  ]);
  const decides = async (api: Client) => idsOf((await readHome(api)).timeOff!.data!.toDecide).slice(-2);
  expect(await decides(boss.api)).toEqual([expect.any(String), sooner]);
  expect(await decides(hr.api)).toEqual([sooner, other]);
  expect(await decides(bob.api)).not.toContain(other); // nobody decides on their own
});

it('the timer is the running one of the caller', async () => {
  expect((await readHome(ada.api)).timer).toMatchObject({ data: null, error: null });
  const { id } = await created(ada.api, `${TIME}/start`, { note: 'Move the data' });
  expect((await readHome(ada.api)).timer!.data).toMatchObject({ id, note: 'Move the data' });
  expect((await readHome(bob.api)).timer!.data).toBeNull();
});

it('the approvals are those that the caller can decide', async () => {
  await setGate(tenant);
  const { approval } = await park(ada.api);
  expect(idsOf((await readHome(bob.api)).approvals!.data)).toEqual([approval.id]);
  expect((await readHome(ada.api)).approvals!.data).toEqual([]);
});

describe('the recent records', () => {
  it('are those that the person changed with any key, newest first', async () => {
    const deal = await makeDeal(ada.api);
    const account = await created(ada.api, '/api/v1/sales/accounts', { name: 'Acme' });
    await makeDeal(bob.api);
    const otherKey = await platform.key(tenant, ['*'], { memberId: ada.id });
    platform.clock.advance(1_000);
    await changed(otherKey, 'PATCH', `${DEALS}/${deal.id}`, { nextStep: 'Call' });
    const { data } = (await readHome(ada.api)).recent!;
    expect(idsOf(data)).toEqual([deal.id, account.id]);
    expect(data![1]).toMatchObject({
      object: 'sales.account',
      name: 'Acme',
      url: `/api/v1/sales/accounts/${account.id}`,
    });
    await changed(bob.api, 'DELETE', `${DEALS}/${deal.id}`);
    expect(idsOf((await readHome(ada.api)).recent!.data)).toEqual([account.id]);
  });

  it('leave out what the person may not see any more', async () => {
    const vera = await platform.member(tenant, 'Vera', ['*'], { roles: ['member'] });
    const deal = await makeDeal(vera.api);
    expect(idsOf((await readHome(vera.api)).recent!.data)).toEqual([deal.id]);
    const place = { ownerId: bob.id, workspaceId: await makeWorkspace(tenant.api, 'NORTH') };
    await changed(bob.api, 'PATCH', `${DEALS}/${deal.id}`, place);
    expect((await readHome(vera.api)).recent!.data).toEqual([]);
  });
});

it('the onboarding is shown without starting it', async () => {
  await makeDeal(tenant.api);
  const { data } = (await readHome(tenant.api)).onboarding!;
  expect(data).toMatchObject({ dismissed: false, requiredLeft: data!.nextSteps.length });
  const keys = data!.nextSteps.map(({ key }) => key);
  expect(keys).toContain('first_project');
  expect(keys).not.toContain('first_deal');
  const started = 'select id from data.tenant_onboarding where tenant_id = $1';
  expect(await asAdmin(platform.database, started, [tenant.id])).toEqual([]);
});

describe('a block is absent', () => {
  const orderOf = async (api: Client) => {
    const { today: _today, timezone: _timezone, order, ...blocks } = await readHome(api);
    expect(Object.keys(blocks).sort()).toEqual([...order].sort());
    return order;
  };

  it('for a service key if it is about a person', async () => {
    expect(await orderOf(tenant.api)).toEqual(['approvals', 'scorecards', 'onboarding']);
  });

  it('without the permission', async () => {
    const seller = await platform.key(tenant, ['deals:read'], { memberId: ada.id });
    expect(await orderOf(seller)).toEqual(['announcements', 'mentions', 'deals', 'favourites', 'recent', 'scorecards']);
  });

  it('in an area that the tenant has disabled', async () => {
    await changed(tenant.api, 'PATCH', '/api/admin/settings', { features: { sales: false, work: false } });
    const order = await orderOf(ada.api);
    expect(order).toContain('interviews');
    for (const key of ['deals', 'tasks', 'timer']) expect(order).not.toContain(key);
  });
});

it('a slow or failing block leaves the others as they are', async () => {
  const deal = await makeDeal(ada.api, { expectedCloseDate: today() });
  const reader = platform.app.get(BlockReader);
  const { timeoutMs } = reader;
  reader.timeoutMs = 300;
  jest.spyOn(platform.app.get(TenantOnboarding), 'progress').mockReturnValue(new Promise(() => undefined));
  jest.spyOn(platform.app.get(RecentRecords), 'read').mockRejectedValue(new TypeError('Broken'));
  try {
    const { onboarding, recent, deals } = await readHome(ada.api);
    expect(onboarding).toMatchObject({ data: null, error: { code: 'timeout' } });
    expect(recent).toMatchObject({ data: null, error: { code: 'internal_error' } });
    expect(recent!.error!.detail).not.toContain('Broken');
    expect(idsOf(deals!.data)).toEqual([deal.id]);
  } finally {
    reader.timeoutMs = timeoutMs;
  }
});
