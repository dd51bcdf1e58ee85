import type { ShownTask } from '#src/areas/work/tasks/task.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { eventsOf } from '../../harness/written.js';
import {
  act,
  idsOf,
  makeMilestone,
  makeProject,
  makeTask,
  PROJECTS,
  readProject,
  readTask,
  TASKS,
} from './work-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
let projectId: string;

beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ api } = tenant);
  projectId = (await makeProject(api)).id;
});
afterAll(() => platform.close());

const task = (body: object = {}) => makeTask(api, { projectId, ...body });
const patch = (id: string, body: object) => api.patch<ShownTask & { code: string }>(`${TASKS}/${id}`, body);
const at = (pointer: string, code: string) => ({ status: 400, body: { errors: [{ pointer, code }] } });

describe('a new task', () => {
  it('gets the next number of its project', async () => {
    expect(await task()).toMatchObject({
      reference: 'ACME-1',
      number: 1,
      state: 'backlog',
      category: 'backlog',
      priority: 'none',
      assigneeIds: [],
      spentMinutes: 0,
      isOverdue: false,
    });
    expect(await task({ state: 'in_review' })).toMatchObject({ reference: 'ACME-2', category: 'started' });
  });

  it('is personal without a project', async () => {
    expect(await makeTask(api)).toMatchObject({ reference: 'TASK-000001', number: null, projectId: null });
    expect(await api.post(TASKS, { name: 'x', milestoneId: projectId })).toMatchObject(
      at('/milestoneId', 'unknown_reference'),
    );
  });

  it('requires an existing project', async () => {
    const other = await platform.tenant();
    const foreign = await makeProject(other.api);
    expect(await api.post(TASKS, { name: 'x', projectId: foreign.id })).toMatchObject(
      at('/projectId', 'unknown_reference'),
    );
    await api.delete(`${PROJECTS}/${projectId}`);
    expect(await api.post(TASKS, { name: 'x', projectId })).toMatchObject(at('/projectId', 'unknown_reference'));
  });

  it('refers only to tasks and milestones of its project', async () => {
    const other = (await makeProject(api, { name: 'Other' })).id;
    const stranger = await makeTask(api, { projectId: other });
    const milestone = await makeMilestone(api, { projectId: other });
    const refused = async (body: object, pointer: string) =>
      expect(await api.post(TASKS, { name: 'x', projectId, ...body })).toMatchObject(at(pointer, 'unknown_reference'));
    await refused({ parentId: stranger.id }, '/parentId');
    await refused({ blockedByIds: [stranger.id] }, '/blockedByIds');
    await refused({ milestoneId: milestone.id }, '/milestoneId');
    const personal = await makeTask(api);
    await refused({ parentId: personal.id }, '/parentId');
    expect(await api.post(TASKS, { name: 'x', parentId: stranger.id })).toMatchObject(
      at('/parentId', 'unknown_reference'),
    );
  });
});

describe('a task that moves', () => {
  it('moves freely by actions and by PATCH, and emits events', async () => {
    const { id } = await task();
    await act(api, `${TASKS}/${id}`, 'start');
    for (const state of ['done', 'in_progress', 'cancelled', 'done', 'backlog', 'in_review', 'todo'])
      expect((await patch(id, { state })).body).toMatchObject({ state });
    expect((await eventsOf(platform, tenant, id)).map(({ type }) => type.split('.')[2])).toEqual([
      'created',
      'state_changed',
      'completed',
      'reopened',
      'state_changed',
      'completed',
      'reopened',
      'state_changed',
      'state_changed',
    ]);
    expect(await patch(id, { state: 'todo' })).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    const members = (await eventsOf(platform, tenant, id)).at(-1);
    expect(members).toMatchObject({ changes: { category: { from: 'started', to: 'unstarted' } } });
  });

  it('cannot be done before its blockers, unless a manager forces it', async () => {
    const first = await task();
    const second = await task({ blockedByIds: [first.id] });
    const path = `${TASKS}/${second.id}`;
    expect(await api.post(`${path}/complete`)).toMatchObject({
      status: 409,
      body: { code: 'blocked', openIds: [first.id] },
    });
    expect(await patch(second.id, { state: 'done' })).toMatchObject({ status: 409, body: { code: 'blocked' } });
    const writer = await platform.key(tenant, ['tasks:*']);
    expect(await writer.post(`${path}/complete`, { force: true })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'projects:manage' },
    });
    expect(await act(api, path, 'complete', { force: true })).toMatchObject({ state: 'done' });
    await act(api, path, 'reopen');
    await act(api, `${TASKS}/${first.id}`, 'cancel');
    expect(await writer.post(`${path}/complete`, { force: true })).toMatchObject({ status: 200 });
  });

  it('cannot be done while a subtask is open, or open while its parent is done', async () => {
    const whole = await task();
    const part = await task({ parentId: whole.id });
    expect(await api.post(`${TASKS}/${whole.id}/complete`, { force: true })).toMatchObject({
      status: 409,
      body: { code: 'blocked', openIds: [part.id] },
    });
    await act(api, `${TASKS}/${part.id}`, 'complete');
    await act(api, `${TASKS}/${whole.id}`, 'complete');
    expect(await api.post(`${TASKS}/${part.id}/reopen`)).toMatchObject({ status: 409, body: { code: 'blocked' } });
    expect(await api.post(TASKS, { name: 'x', projectId, parentId: whole.id })).toMatchObject({
      status: 409,
      body: { code: 'blocked' },
    });
  });

  it('reports the previous assignee', async () => {
    const ada = await platform.member(tenant, 'Ada');
    const { id } = await task();
    await patch(id, { assigneeIds: [ada.id] });
    expect((await eventsOf(platform, tenant, id)).at(-1)).toMatchObject({
      type: 'work.task.assigned',
      changes: { assigneeIds: { from: [], to: [ada.id] } },
    });
    expect(await idsOf(ada.api, `${TASKS}?assigneeId=me`)).toEqual([id]);
    await patch(id, { name: 'other' });
    expect((await eventsOf(platform, tenant, id)).at(-1)).toMatchObject({ type: 'work.task.updated' });
  });

  it('cannot change its project', async () => {
    const { id } = await task();
    expect(await patch(id, { projectId: null })).toMatchObject(at('/projectId', 'unknown_field'));
  });
});

describe('trees and chains of tasks', () => {
  it('are at most three levels deep, whichever end is moved', async () => {
    const [a, b, c, d] = [await task(), await task(), await task(), await task()];
    await patch(b.id, { parentId: a.id });
    await patch(c.id, { parentId: b.id });
    expect(await patch(d.id, { parentId: c.id })).toMatchObject(at('/parentId', 'too_deep'));
    expect(await patch(a.id, { parentId: d.id })).toMatchObject(at('/parentId', 'too_deep'));
    await patch(c.id, { parentId: null });
    expect(await patch(a.id, { parentId: d.id })).toMatchObject({ status: 200 });
  });

  it('have no cycles', async () => {
    const [a, b, c] = [await task(), await task(), await task()];
    await patch(b.id, { parentId: a.id });
    expect(await patch(a.id, { parentId: b.id })).toMatchObject(at('/parentId', 'cycle'));
    await patch(b.id, { parentId: null, blockedByIds: [a.id] });
    expect(await patch(a.id, { parentId: a.id })).toMatchObject(at('/parentId', 'cycle'));
    await patch(c.id, { blockedByIds: [b.id] });
    expect(await patch(a.id, { blockedByIds: [c.id] })).toMatchObject(at('/blockedByIds', 'cycle'));
    expect(await patch(a.id, { blockedByIds: [a.id] })).toMatchObject(at('/blockedByIds', 'cycle'));
    expect(await idsOf(api, `${TASKS}?blockedById=${b.id}`)).toEqual([c.id]);
  });

  it.each(['task', 'personal task'])('of a %s that would wait for what it is a part of are rejected', async (kind) => {
    const make = (more: object = {}) => (kind === 'task' ? task(more) : makeTask(api, more));
    const [top, other] = [await make(), await make()];
    const middle = await make({ parentId: top.id });
    const low = await make({ parentId: middle.id });
    const waits = at('/blockedByIds', 'cycle');
    const projectOf = kind === 'task' ? { projectId } : {};
    const body = { name: 'x', ...projectOf, parentId: middle.id, blockedByIds: [top.id] };
    expect(await api.post(TASKS, body)).toMatchObject(waits);
    expect(await patch(middle.id, { blockedByIds: [top.id] })).toMatchObject(waits);
    expect(await patch(low.id, { blockedByIds: [top.id] })).toMatchObject(waits);
    await patch(other.id, { blockedByIds: [top.id] });
    expect(await patch(low.id, { blockedByIds: [other.id] })).toMatchObject(waits);
    expect(await patch(other.id, { parentId: top.id })).toMatchObject(at('/parentId', 'cycle'));
    expect(await patch(other.id, { parentId: middle.id })).toMatchObject(at('/parentId', 'cycle'));
    expect(await patch(other.id, { parentId: null, blockedByIds: [low.id] })).toMatchObject({ status: 200 });
    expect(await patch(top.id, { blockedByIds: [low.id] })).toMatchObject({ status: 200 }); // it waits for it anyway
    expect(await patch(top.id, { blockedByIds: [other.id] })).toMatchObject({ status: 200 });
    expect(await patch(low.id, { blockedByIds: [top.id], parentId: null })).toMatchObject(waits);
  });

  it('of personal tasks have no cycles either', async () => {
    const [a, b] = [await makeTask(api), await makeTask(api)];
    await patch(b.id, { blockedByIds: [a.id] });
    expect(await patch(a.id, { blockedByIds: [b.id] })).toMatchObject(at('/blockedByIds', 'cycle'));
  });
});

describe('the figures of a project', () => {
  const counts = async () => (await readProject(api, projectId)).taskCounts;
  const progress = async () => (await readProject(api, projectId)).progressPercent;

  it('count tasks by category, without deleted ones', async () => {
    const [a, b] = [await task(), await task({ state: 'todo' })];
    expect(await counts()).toMatchObject({ backlog: 1, unstarted: 1 });
    await act(api, `${TASKS}/${a.id}`, 'start');
    await act(api, `${TASKS}/${b.id}`, 'complete');
    expect(await counts()).toEqual({ backlog: 0, unstarted: 0, started: 1, done: 1, cancelled: 0 });
    await api.delete(`${TASKS}/${b.id}`);
    expect(await counts()).toMatchObject({ started: 1, done: 0 });
    await act(api, `${TASKS}/${b.id}`, 'restore');
    expect(await counts()).toMatchObject({ started: 1, done: 1 });
  });

  it('measure progress by count, and by estimate once every task has one', async () => {
    const [a, b, c] = [await task({ estimateMinutes: 100 }), await task(), await task()];
    expect(await progress()).toBe(0);
    await act(api, `${TASKS}/${a.id}`, 'complete');
    expect(await progress()).toBe(33.333);
    await act(api, `${TASKS}/${c.id}`, 'cancel');
    expect(await progress()).toBe(50);
    await patch(b.id, { estimateMinutes: 300 });
    expect(await progress()).toBe(25);
    await act(api, `${TASKS}/${b.id}`, 'complete');
    expect(await progress()).toBe(100);
  });

  it('measure progress by milestones or manually if configured', async () => {
    const path = `${PROJECTS}/${projectId}`;
    const milestone = await makeMilestone(api, { projectId });
    await makeMilestone(api, { projectId });
    await act(api, `/api/v1/work/milestones/${milestone.id}`, 'reach');
    expect((await api.patch(path, { progressMethod: 'milestones' })).body).toMatchObject({ progressPercent: 50 });
    expect(await api.patch(path, { progressPercent: 10 })).toMatchObject(at('/progressPercent', 'only_with_manual'));
    const manual = { progressMethod: 'manual', progressPercent: 12.5 };
    expect((await api.patch(path, manual)).body).toMatchObject(manual);
    await task({ state: 'todo' });
    expect(await progress()).toBe(12.5);
    expect((await api.patch(path, { progressMethod: 'tasks' })).body).toMatchObject({ progressPercent: 0 });
  });

  it('are not overwritten by an edit of the project', async () => {
    await task();
    await api.patch(`${PROJECTS}/${projectId}`, { name: 'Renamed' });
    expect(await counts()).toMatchObject({ backlog: 1 });
    expect((await readProject(api, projectId)).version).toBe(2);
  });

  it('can be used to sort lists', async () => {
    const other = (await makeProject(api, { name: 'Other', progressMethod: 'manual', progressPercent: 40 })).id;
    const { id } = await task();
    expect(await idsOf(api, `${PROJECTS}?sort=progressPercent`)).toEqual([projectId, other]);
    await act(api, `${TASKS}/${id}`, 'complete');
    expect(await idsOf(api, `${PROJECTS}?sort=progressPercent`)).toEqual([other, projectId]);
  });
});

describe('a list of tasks', () => {
  it('can be filtered by overdue', async () => {
    const yesterday = new Date(platform.clock.nowMs() - 86_400_000).toISOString().slice(0, 10);
    const today = new Date(platform.clock.nowMs()).toISOString().slice(0, 10);
    const late = await task({ dueDate: yesterday });
    const due = await task({ dueDate: today, priority: 'urgent' });
    const done = await task({ dueDate: yesterday });
    await act(api, `${TASKS}/${done.id}`, 'complete');
    expect(await idsOf(api, `${TASKS}?isOverdue=true`)).toEqual([late.id]);
    expect(await idsOf(api, `${TASKS}?isOverdue=false&sort=name,createdAt`)).toEqual([due.id, done.id]);
    expect(await readTask(api, late.id)).toMatchObject({ isOverdue: true });
  });

  it('sorts and filters enumerations by meaning', async () => {
    const [low, urgent, none] = [await task({ priority: 'low' }), await task({ priority: 'urgent' }), await task()];
    expect(await idsOf(api, `${TASKS}?sort=-priority`)).toEqual([urgent.id, low.id, none.id]);
    expect(await idsOf(api, `${TASKS}?priority[in]=urgent,none&sort=priority`)).toEqual([none.id, urgent.id]);
    await act(api, `${TASKS}/${low.id}`, 'review');
    expect(await idsOf(api, `${TASKS}?category=started`)).toEqual([low.id]);
    expect(await idsOf(api, `${TASKS}?q=acme%202`)).toEqual([urgent.id]);
    expect(await api.get(`${TASKS}?priority=huge`)).toMatchObject({ status: 400 });
  });
});
