import { addDays } from '#libs/kernel/civil-time.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { ShownCycle } from '#src/areas/work/cycles/cycle.js';
import type { Client } from '../../harness/client.js';
import type { TestTenant } from '../../harness/platform.js';
import { exhaust } from '../../worker/automation-stage.js';
import { Stage } from '../../worker/stage.js';
import { eventsOf } from '../../harness/written.js';
import {
  act,
  CYCLES,
  idsOf,
  makeCycle,
  makeProject,
  makeTask,
  read,
  readTask,
  TASKS,
  whileOpen,
} from './work-calls.js';

let stage: Stage;
let worker: Awaited<ReturnType<Stage['idleWorker']>>;
let tenant: TestTenant;
let api: Client;
let projectId: string;

beforeAll(async () => {
  stage = await Stage.open();
  worker = await stage.idleWorker();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  ({ api } = tenant);
  projectId = (await makeProject(api)).id;
});
afterAll(() => stage.close());

const today = () => new Date(stage.platform.clock.nowMs()).toISOString().slice(0, 10);
const inDays = (days: number) => addDays(today(), days);
const cycle = (first: number, last: number, more: object = {}) =>
  makeCycle(api, { projectId, startDate: inDays(first), endDate: inDays(last), ...more });
const readCycle = (id: string) => read<ShownCycle>(api, `${CYCLES}/${id}`);
const problem = (status: number, code: string) => ({ status, body: { code } });
const at = (pointer: string, code: string) => ({ status: 400, body: { errors: [{ pointer, code }] } });
const setZone = (timezone: string) => api.patch('/api/admin/settings', { general: { timezone } });

describe('a cycle', () => {
  it('starts and closes by its dates, and its unfinished tasks move to the next one', async () => {
    const [first, later] = [await cycle(1, 7), await cycle(20, 25)];
    const next = await cycle(8, 14);
    expect(first).toMatchObject({ status: 'upcoming', closedAt: null, snapshot: null });
    const inFirst = { projectId, cycleId: first.id };
    const [done, open, archived] = [
      await makeTask(api, inFirst),
      await makeTask(api, inFirst),
      await makeTask(api, inFirst),
    ];
    const cancelled = await makeTask(api, inFirst);
    await act(api, `${TASKS}/${done.id}`, 'complete');
    await act(api, `${TASKS}/${archived.id}`, 'archive');
    await act(api, `${TASKS}/${cancelled.id}`, 'cancel');
    await exhaust(worker);
    expect(await readCycle(first.id)).toMatchObject({ status: 'upcoming' });

    stage.platform.clock.advance(DAY_MS);
    await exhaust(worker);
    expect(await readCycle(first.id)).toMatchObject({ status: 'current', updatedBy: { type: 'automation' } });

    stage.platform.clock.advance(7 * DAY_MS);
    await exhaust(worker);
    expect(await readCycle(first.id)).toMatchObject({
      status: 'closed',
      endDate: first.endDate,
      snapshot: { scope: 3, done: 1, carried: 2 },
    });
    expect(await readCycle(next.id)).toMatchObject({ status: 'current' });
    expect(await readCycle(later.id)).toMatchObject({ status: 'upcoming' });
    const inNext = await idsOf(api, `${TASKS}?cycleId=${next.id}&includeArchived=true`);
    expect(inNext.sort()).toEqual([open.id, archived.id].sort());
    expect((await idsOf(api, `${TASKS}?cycleId=${first.id}`)).sort()).toEqual([done.id, cancelled.id].sort());
    expect((await eventsOf(stage.platform, tenant, first.id)).map(({ type }) => type)).toEqual([
      'work.cycle.created',
      'work.cycle.started',
      'work.cycle.closed',
    ]);
  });

  it('follows the time zone of the tenant, also after that changes', async () => {
    const { id } = await cycle(1, 1);
    await setZone('Pacific/Honolulu'); // ten hours behind UTC
    stage.platform.clock.advance(Date.parse(`${inDays(1)}T01:00:00Z`) - stage.platform.clock.nowMs());
    await exhaust(worker);
    expect(await readCycle(id)).toMatchObject({ status: 'upcoming' });
    stage.platform.clock.advance(10 * 3_600_000);
    await exhaust(worker);
    expect(await readCycle(id)).toMatchObject({ status: 'current' });
    stage.platform.clock.advance(DAY_MS);
    await exhaust(worker);
    expect(await readCycle(id)).toMatchObject({ status: 'closed' });
  });

  it('starts and ends today on demand, and tasks leave it if there is no next one', async () => {
    const { id } = await cycle(3, 9);
    const task = await makeTask(api, { projectId, cycleId: id });
    expect(await act(api, `${CYCLES}/${id}`, 'start')).toMatchObject({ status: 'current', startDate: today() });
    expect(await act(api, `${CYCLES}/${id}`, 'close')).toMatchObject({
      status: 'closed',
      endDate: today(),
      snapshot: { scope: 1, done: 0, carried: 1 },
    });
    expect(await readTask(api, task.id)).toMatchObject({ cycleId: null });
    await exhaust(worker);
    expect(await api.post(`${CYCLES}/${id}/close`)).toMatchObject(problem(409, 'invalid_transition'));
  });

  it('has dates in order, which are fixed once it has begun', async () => {
    const dates = (startDate: string, endDate: string) => ({ name: 'x', projectId, startDate, endDate });
    expect(await api.post(CYCLES, dates(inDays(2), inDays(1)))).toMatchObject(at('/endDate', 'out_of_range'));
    expect(await api.post(CYCLES, dates(inDays(-9), inDays(-1)))).toMatchObject(at('/endDate', 'out_of_range'));
    const { id } = await cycle(0, 5);
    await act(api, `${CYCLES}/${id}`, 'start');
    const patch = (body: object) => api.patch(`${CYCLES}/${id}`, body);
    expect(await patch({ startDate: inDays(1) })).toMatchObject(problem(409, 'record_locked'));
    expect(await patch({ endDate: inDays(6), goal: 'Ship' })).toMatchObject({ status: 200 });
    await act(api, `${CYCLES}/${id}`, 'close');
    expect(await patch({ endDate: inDays(7) })).toMatchObject(problem(409, 'record_locked'));
    expect(await patch({ goal: 'Shipped' })).toMatchObject({ status: 200 });
  });

  it('belongs to an open project or to a workspace', async () => {
    const days = { name: 'x', startDate: inDays(1), endDate: inDays(2) };
    expect(await api.post(CYCLES, days)).toMatchObject(at('/projectId', 'required'));
    await act(api, `/api/v1/work/projects/${projectId}`, 'cancel', { reason: 'x' });
    expect(await api.post(CYCLES, { ...days, projectId })).toMatchObject(problem(409, 'record_locked'));
  });

  it('releases its tasks when it is deleted', async () => {
    const { id } = await cycle(1, 2);
    const task = await makeTask(api, { projectId, cycleId: id });
    await api.delete(`${CYCLES}/${id}`);
    expect(await readTask(api, task.id)).toMatchObject({ cycleId: null });
    await cycle(1, 2);
    expect(await api.post(`${CYCLES}/${id}/restore`)).toMatchObject(problem(409, 'cycle_overlap'));
  });
});

describe('cycles of a project', () => {
  it('never overlap, even if they are created concurrently', async () => {
    const overlap = problem(409, 'cycle_overlap');
    const body = (first: number) => ({ name: 'x', projectId, startDate: inDays(first), endDate: inDays(first + 4) });
    const answers = await Promise.all([0, 1, 2, 3, 4].map((first) => api.post(CYCLES, body(first))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body: { code } }) => code === 'cycle_overlap')).toHaveLength(4);
    const next = await api.post<ShownCycle>(CYCLES, body(20));
    expect(await api.post(CYCLES, body(24))).toMatchObject(overlap);
    expect(await api.patch(`${CYCLES}/${next.body.id}`, { startDate: today() })).toMatchObject(overlap);
    const other = (await makeProject(api, { name: 'Other' })).id;
    expect(await api.post(CYCLES, { ...body(20), projectId: other })).toMatchObject({ status: 201 });
  });
});

describe('a task', () => {
  it('can be in a cycle of its project or of its workspace', async () => {
    const workspace = await api.post<{ id: string }>('/api/admin/workspaces', { name: 'Delivery' });
    const workspaceId = workspace.body.id;
    const inside = (await makeProject(api, { name: 'Inside', workspaceId })).id;
    const foreign = await cycle(1, 2, { projectId: inside });
    const shared = await cycle(1, 2, { projectId: null, workspaceId });
    const refused = at('/cycleId', 'unknown_reference');
    expect(await api.post(TASKS, { name: 'x', projectId, cycleId: foreign.id })).toMatchObject(refused);
    expect(await api.post(TASKS, { name: 'x', projectId, cycleId: shared.id })).toMatchObject(refused);
    expect(await makeTask(api, { projectId: inside, cycleId: shared.id })).toMatchObject({ cycleId: shared.id });
    const personal = await makeTask(api, { workspaceId });
    expect(await api.patch(`${TASKS}/${personal.id}`, { cycleId: shared.id })).toMatchObject({ status: 200 });
    expect(await api.patch(`${TASKS}/${personal.id}`, { cycleId: foreign.id })).toMatchObject(refused);
  });

  it('cannot enter a closed cycle', async () => {
    const { id: cycleId } = await cycle(0, 3);
    await act(api, `${CYCLES}/${cycleId}`, 'start');
    await act(api, `${CYCLES}/${cycleId}`, 'close');
    expect(await api.post(TASKS, { name: 'x', projectId, cycleId })).toMatchObject(problem(409, 'record_locked'));
    const { id } = await makeTask(api, { projectId });
    expect(await api.patch(`${TASKS}/${id}`, { cycleId })).toMatchObject(problem(409, 'record_locked'));
  });

  it('moves on if it enters a cycle while that is being closed', async () => {
    const workspace = await api.post<{ id: string }>('/api/admin/workspaces', { name: 'Delivery' });
    const workspaceId = workspace.body.id;
    const { id } = await cycle(0, 3, { projectId: null, workspaceId });
    await act(api, `${CYCLES}/${id}`, 'start');
    const task = await makeTask(api, { workspaceId });
    const enter = 'update data.work_tasks set cycle_id = $1 where id = $2';
    const closed = await whileOpen(stage.platform.database, enter, [id, task.id], () =>
      act<ShownCycle>(api, `${CYCLES}/${id}`, 'close'),
    );
    expect(closed.snapshot).toEqual({ scope: 1, done: 0, carried: 1 });
    expect(await readTask(api, task.id)).toMatchObject({ cycleId: null });
  });
});
