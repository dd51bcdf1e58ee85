import type { ShownTimeEntry } from '#src/areas/work/time-entries/time-entry.js';
import { TimeEntriesService } from '#src/areas/work/time-entries/time-entries.service.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { eventsOf } from '../../harness/written.js';
import {
  act,
  idsOf,
  makeProject,
  makeTask,
  makeTime,
  PROJECTS,
  read,
  readProject,
  readTask,
  TIME,
} from './work-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
let ada: { id: string; api: Client };
let boss: { id: string; api: Client };

beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ api } = tenant);
  [ada, boss] = await Promise.all([platform.member(tenant, 'Ada'), platform.member(tenant, 'Boss')]);
});
afterAll(() => platform.close());

const locked = { status: 409, body: { code: 'record_locked' } };
const pathOf = ({ id }: { id: string }) => `${TIME}/${id}`;
const readTime = (id: string) => read<ShownTimeEntry>(api, `${TIME}/${id}`);

/** Runs actions reserved for the platform, as finance does. */
const asPlatform = <T>(work: () => Promise<T>): Promise<T> =>
  runAsSystem(
    { id: tenant.id, slug: tenant.slug, plan: 'enterprise', currency: 'USD', epoch: '1' },
    'test',
    uuidv7(),
    work,
  );

async function approved(body: object = {}): Promise<ShownTimeEntry> {
  const entry = await makeTime(ada.api, body);
  await act(ada.api, pathOf(entry), 'submit');
  return act<ShownTimeEntry>(boss.api, pathOf(entry), 'approve');
}

describe('a new time entry', () => {
  it('defaults to the caller and today', async () => {
    expect(await makeTime(ada.api, { note: 'Moved the data\nand more', minutes: 90 })).toMatchObject({
      membershipId: ada.id,
      name: 'Moved the data',
      workDate: new Date(platform.clock.nowMs()).toISOString().slice(0, 10),
      minutes: 90,
      billable: false,
      status: 'draft',
      rateMinor: null,
    });
  });

  // At any time it is another day than in UTC in one of the two.
  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'is for today in the zone of a tenant in %s',
    async (timezone) => {
      expect((await api.patch('/api/admin/settings', { general: { timezone } })).status).toBe(200);
      const today = () => civilDateAt(platform.clock.nowMs(), timezone);
      const first = today();
      const { workDate } = await makeTime(ada.api, { minutes: 5 });
      const timer = await ada.api.post<ShownTimeEntry>(`${TIME}/start`, {});
      for (const day of [workDate, timer.body.workDate]) expect([first, today()]).toContain(day);
    },
  );

  it('is for a day that has begun somewhere, in the last 20 years', async () => {
    const day = (ahead: number) => new Date(platform.clock.nowMs() + ahead * DAY_MS).toISOString().slice(0, 10);
    const refused = (code: string) => ({ status: 400, body: { errors: [{ pointer: '/workDate', code }] } });
    const eastMost = civilDateAt(platform.clock.nowMs(), 'Pacific/Kiritimati');
    const { id } = await makeTime(ada.api, { workDate: eastMost });
    await makeTime(ada.api, { workDate: day(-7_300) });
    for (const [ahead, code] of [
      [2, 'in_future'],
      [-7_310, 'out_of_range'],
    ] as const) {
      expect(await ada.api.post(TIME, { minutes: 5, workDate: day(ahead) })).toMatchObject(refused(code));
      expect(await ada.api.patch(`${TIME}/${id}`, { workDate: day(ahead) })).toMatchObject(refused(code));
    }
  });

  it('requires a member when the credential acts for none', async () => {
    expect(await api.post(TIME, { minutes: 5 })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/membershipId', code: 'required' }] },
    });
    expect(await makeTime(api, { membershipId: ada.id })).toMatchObject({ membershipId: ada.id });
    expect(await idsOf(ada.api, `${TIME}?membershipId=me`)).toHaveLength(1);
  });

  it('belongs to the project of its task', async () => {
    const [project, other] = [await makeProject(api), await makeProject(api)];
    const task = await makeTask(api, { projectId: project.id });
    const entry = await makeTime(ada.api, { taskId: task.id });
    expect(entry).toMatchObject({ projectId: project.id, taskId: task.id });
    expect(await ada.api.post(TIME, { minutes: 5, taskId: task.id, projectId: other.id })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/taskId', code: 'unknown_reference' }] },
    });
    const moved = await ada.api.patch<ShownTimeEntry>(pathOf(entry), { projectId: other.id });
    expect(moved.body).toMatchObject({ projectId: other.id, taskId: null });
    const back = await ada.api.patch<ShownTimeEntry>(pathOf(entry), { taskId: task.id });
    expect(back.body).toMatchObject({ projectId: project.id, taskId: task.id });
  });
});

describe('time spent', () => {
  it('is summed on projects and tasks, wherever the entry moves', async () => {
    const [project, other] = [await makeProject(api), await makeProject(api)];
    const task = await makeTask(api, { projectId: project.id });
    const spent = async () => [
      (await readProject(api, project.id)).spentMinutes,
      (await readProject(api, other.id)).spentMinutes,
      (await readTask(api, task.id)).spentMinutes,
    ];
    const entry = await makeTime(ada.api, { taskId: task.id, minutes: 30 });
    await makeTime(ada.api, { projectId: project.id, minutes: 10 });
    expect(await spent()).toEqual([40, 0, 30]);
    await ada.api.patch(pathOf(entry), { minutes: 50 });
    expect(await spent()).toEqual([60, 0, 50]);
    await act(ada.api, pathOf(entry), 'submit');
    await act(boss.api, pathOf(entry), 'reject', { reason: 'Too much' });
    expect(await spent()).toEqual([10, 0, 0]);
    await ada.api.patch(pathOf(entry), { projectId: other.id, minutes: 20 });
    await act(ada.api, pathOf(entry), 'revise');
    expect(await spent()).toEqual([10, 20, 0]);
    await ada.api.delete(pathOf(entry));
    expect(await spent()).toEqual([10, 0, 0]);
    await api.patch(`/api/v1/work/tasks/${task.id}`, { name: 'x' });
    expect((await readProject(api, project.id)).version).toBe(1);
  });

  it('is valued at the project rate at approval, rounded to minor units', async () => {
    const billing = { model: 'time_and_materials', hourlyRateMinor: 10_001, budgetMinor: 20_000 };
    const project = await makeProject(api, { billing });
    const first = await approved({ projectId: project.id, minutes: 90, billable: true });
    expect(first).toMatchObject({ status: 'approved', rateMinor: 10_001, amountMinor: 15_002 });
    await api.patch(`${PROJECTS}/${project.id}`, { billing: { hourlyRateMinor: 60 } });
    expect(await readTime(first.id)).toMatchObject({ rateMinor: 10_001 });
    expect(await approved({ projectId: project.id, minutes: 60, billable: false })).toMatchObject({ rateMinor: null });
    expect(await readProject(api, project.id)).toMatchObject({
      spentMinor: 15_002,
      unbilledMinutes: 90,
      unbilledMinor: 15_002,
      budgetUsedPercent: 75.01,
    });
    const inEuros = { currency: 'EUR', hourlyRateMinor: 60, budgetMinor: 20_000 };
    expect(await api.patch(`${PROJECTS}/${project.id}`, { billing: inEuros })).toMatchObject(locked);
  });
});

describe('approval', () => {
  it('cannot be given to one’s own entry', async () => {
    const entry = await makeTime(ada.api, {});
    await act(ada.api, pathOf(entry), 'submit');
    const refused = { status: 403, body: { code: 'not_an_approver' } };
    expect(await ada.api.post(`${pathOf(entry)}/approve`)).toMatchObject(refused);
    expect(await ada.api.patch(pathOf(entry), { status: 'approved' })).toMatchObject(refused);
    expect(await act(boss.api, pathOf(entry), 'approve')).toMatchObject({ status: 'approved' });
  });

  it('requires its scope', async () => {
    const entry = await makeTime(ada.api, {});
    await act(ada.api, pathOf(entry), 'submit');
    const writer = await platform.key(tenant, ['time-entries:write', 'time-entries:read']);
    expect(await writer.post(`${pathOf(entry)}/approve`)).toMatchObject({ status: 403 });
  });

  it('makes an entry immutable, in the service and in the database', async () => {
    const project = await makeProject(api, { billing: { hourlyRateMinor: 6000 } });
    const entry = await approved({ projectId: project.id, billable: true });
    expect(await ada.api.patch(pathOf(entry), { minutes: 5 })).toMatchObject(locked);
    expect(await ada.api.patch(pathOf(entry), { note: 'x' })).toMatchObject(locked);
    expect(await ada.api.delete(pathOf(entry))).toMatchObject(locked);
    for (const change of [
      'minutes = 5',
      `work_date = '2026-01-01'`,
      'rate_minor = 1',
      `status = 'draft'`,
      'project_id = null',
    ])
      await expect(
        asAdmin(platform.database, `update data.work_time_entries set ${change} where tenant_id = $1`, [tenant.id]),
      ).rejects.toThrow('Approved time does not change.');
  });

  it('and a concurrent edit of an entry never both succeed', async () => {
    for (let round = 0; round < 8; round++) {
      const entry = await makeTime(ada.api, { minutes: 10 });
      const answers = await Promise.all([
        ada.api.patch(pathOf(entry), { minutes: 20 }),
        ada.api.post(`${pathOf(entry)}/submit`).then(() => boss.api.post(`${pathOf(entry)}/approve`)),
        ada.api.patch(pathOf(entry), { minutes: 30 }),
      ]);
      expect(answers.map(({ status }) => status).every((status) => status === 200 || status === 409)).toBe(true);
      const { minutes, version } = await readTime(entry.id);
      const [submitted] = (await eventsOf(platform, tenant, entry.id)).filter(({ type }) => type.endsWith('submitted'));
      expect(minutes).toBe(submitted!.data['minutes']);
      expect(version).toBe(submitted!.subject.version + 1);
    }
  });

  it('can be denied with a reason, after which the entry can be edited', async () => {
    const entry = await makeTime(ada.api, {});
    await act(ada.api, pathOf(entry), 'submit');
    expect(await ada.api.patch(pathOf(entry), { minutes: 5 })).toMatchObject(locked);
    await act(boss.api, pathOf(entry), 'reject', { reason: 'Too long' });
    expect((await ada.api.patch(pathOf(entry), { minutes: 5 })).body).toMatchObject({
      status: 'rejected',
      rejectedReason: 'Too long',
      minutes: 5,
    });
    expect(await act(ada.api, pathOf(entry), 'revise')).toMatchObject({ status: 'draft', rejectedReason: null });
  });
});

describe('a timer', () => {
  it('runs once per member, and its duration is measured', async () => {
    const project = await makeProject(api);
    const started = await ada.api.post<ShownTimeEntry>(`${TIME}/start`, { projectId: project.id, note: 'Think' });
    expect(started).toMatchObject({ status: 201, body: { minutes: null, status: 'draft', name: 'Think' } });
    expect(started.body.runningSince).not.toBeNull();
    expect(await idsOf(api, `${TIME}?isRunning=true`)).toEqual([started.body.id]);
    expect(await ada.api.post(`${TIME}/start`)).toMatchObject({ status: 409, body: { code: 'timer_running' } });
    expect(await boss.api.post(`${TIME}/start`)).toMatchObject({ status: 201 });
    const running = { status: 409, body: { code: 'timer_running' } };
    expect(await ada.api.post(`${pathOf(started.body)}/submit`)).toMatchObject(running);
    expect(await ada.api.patch(pathOf(started.body), { minutes: 5 })).toMatchObject(running);
    platform.clock.advance(42 * 60_000);
    const stopped = await ada.api.post<ShownTimeEntry>(`${TIME}/stop`);
    expect(stopped).toMatchObject({ status: 200, body: { id: started.body.id, minutes: 42, runningSince: null } });
    expect((await readProject(api, project.id)).spentMinutes).toBe(42);
    expect(await ada.api.post(`${TIME}/stop`)).toMatchObject({ status: 409, body: { code: 'timer_not_running' } });
    expect(await ada.api.post(`${TIME}/stop`, { id: started.body.id })).toMatchObject({ status: 409 });
  });

  it.each([
    ['that ran too long is stopped with what is left of its day', 1_400, {}, 40],
    ['is stopped with what is left where the body asks for more', 1_400, { minutes: 60 }, 40],
    ['is stopped with the minutes of the body', 1_400, { minutes: 30 }, 30],
    ['is stopped on a full day', 1_440, {}, 0],
    ['is stopped on a full day with minutes in the body', 1_440, { minutes: 1 }, 0],
  ])('%s', async (_, logged, body, minutes) => {
    const full = await makeTime(ada.api, { minutes: logged });
    const { workDate } = full;
    const { id } = (await ada.api.post<ShownTimeEntry>(`${TIME}/start`)).body;
    await ada.api.patch(`${TIME}/${id}`, { workDate });
    platform.clock.advance(60 * 60_000);
    expect(await ada.api.post(`${TIME}/stop`, body)).toMatchObject({
      status: 200,
      body: { id, workDate, minutes, runningSince: null },
    });
    await act(ada.api, `${TIME}/${id}`, 'submit');
    expect(await act(boss.api, `${TIME}/${id}`, 'approve')).toMatchObject({ status: 'approved', minutes });
    expect(await ada.api.post(`${TIME}/start`)).toMatchObject({ status: 201 });
  });
});

describe('invoicing approved time', () => {
  it('assigns it to one line once, and releases it again', async () => {
    const project = await makeProject(api, { billing: { hourlyRateMinor: 6000 } });
    const { id } = await approved({ projectId: project.id, billable: true, minutes: 30 });
    const entries = platform.app.get(TimeEntriesService).records;
    const invoice = (invoiceLineId: string) => asPlatform(() => entries.follow('invoice', id, { invoiceLineId }));
    const lines = [uuidv7(), uuidv7(), uuidv7()];
    const outcomes = await Promise.allSettled(lines.map(invoice));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const line = lines[outcomes.findIndex(({ status }) => status === 'fulfilled')];
    expect(await readTime(id)).toMatchObject({ status: 'invoiced', invoiceLineId: line });
    expect(await readProject(api, project.id)).toMatchObject({
      spentMinor: 3000,
      unbilledMinutes: 0,
      unbilledMinor: 0,
    });
    expect(await ada.api.patch(pathOf({ id }), { status: 'approved' })).toMatchObject({ status: 409 });
    await asPlatform(() => entries.follow('release', id));
    expect(await readTime(id)).toMatchObject({ status: 'approved', invoiceLineId: null });
    expect(await readProject(api, project.id)).toMatchObject({ unbilledMinor: 3000 });
  });

  it('prevents deleting a project with approved time', async () => {
    const project = await makeProject(api);
    const path = `${PROJECTS}/${project.id}`;
    await approved({ projectId: project.id });
    expect(await api.delete(path)).toMatchObject(locked);
    await act(api, path, 'cancel', { reason: 'x' });
    expect(await api.delete(path)).toMatchObject(locked);
    const trash = 'update data.work_projects set deleted_at = now() where tenant_id = $1';
    await expect(asAdmin(platform.database, trash, [tenant.id])).rejects.toThrow('approved_time');
  });

  it('reports approved time that is not invoiced when a project is cancelled', async () => {
    const project = await makeProject(api, { billing: { hourlyRateMinor: 6000 } });
    await approved({ projectId: project.id, billable: true, minutes: 45 });
    expect(await act(api, `${PROJECTS}/${project.id}`, 'cancel', { reason: 'x' })).toMatchObject({
      status: 'cancelled',
      unbilledMinutes: 45,
      unbilledMinor: 4500,
    });
  });
});
