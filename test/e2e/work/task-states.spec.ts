import type { ShownTask } from '#src/areas/work/tasks/task.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { eventsOf } from '../../harness/written.js';
import {
  act,
  idsOf,
  makeProject,
  makeTask,
  PROJECTS,
  readProject,
  readTask,
  STATES,
  TASKS,
  whileOpen,
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
const patch = (id: string, body: object) => api.patch<ShownTask>(`${TASKS}/${id}`, body);
const at = (pointer: string, code: string) => ({ status: 400, body: { errors: [{ pointer, code }] } });

async function addState(key: string, category: string, more: object = {}): Promise<string> {
  const answer = await api.post<{ id: string }>(STATES, { name: key, key, category, ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id;
}

describe('a task state of the tenant', () => {
  it('is a state of tasks, and counts by its category', async () => {
    await addState('qa', 'started');
    const { id } = await task({ state: 'qa' });
    expect(await readTask(api, id)).toMatchObject({ state: 'qa', category: 'started' });
    expect((await readProject(api, projectId)).taskCounts).toMatchObject({ started: 1 });
    const other = await task({ state: 'in_progress' });
    expect(await idsOf(api, `${TASKS}?state=qa`)).toEqual([id]);
    expect(await idsOf(api, `${TASKS}?state=in_progress`)).toEqual([other.id]);
    expect((await idsOf(api, `${TASKS}?category=started`)).sort()).toEqual([id, other.id].sort());
    await act(api, `${PROJECTS}/${projectId}`, 'cancel', { reason: 'x' });
    expect(await readTask(api, id)).toMatchObject({ state: 'cancelled', category: 'cancelled' });
  });

  it('is entered and left by actions and by PATCH, with events and history', async () => {
    await addState('qa', 'started');
    await addState('triage', 'backlog');
    const { id } = await task();
    expect(await act(api, `${TASKS}/${id}`, 'move', { state: 'qa' })).toMatchObject({ state: 'qa' });
    for (const state of ['in_progress', 'triage', 'qa', 'done', 'qa', 'todo'])
      expect((await patch(id, { state })).body).toMatchObject({ state });
    await act(api, `${TASKS}/${id}`, 'move', { state: 'triage' });
    expect(await act(api, `${TASKS}/${id}`, 'plan')).toMatchObject({ state: 'todo', category: 'unstarted' });
    const events = await eventsOf(platform, tenant, id);
    expect(events.map(({ type }) => type.split('.')[2])).toEqual([
      'created',
      ...['state_changed', 'state_changed', 'state_changed', 'state_changed', 'completed', 'reopened'],
      ...['state_changed', 'state_changed', 'state_changed'],
    ]);
    expect(events[2]).toMatchObject({ changes: { state: { from: 'qa', to: 'in_progress' } } });
    const { body } = await api.get<{ data: object[] }>(`${TASKS}/${id}/activity`);
    expect(body.data.length).toBeGreaterThan(8);
  });

  it('can be the state of done and cancelled tasks', async () => {
    await addState('released', 'done');
    await addState('wont_do', 'cancelled');
    const [one, two] = [await task(), await task({ blockedByIds: [(await task()).id] })];
    expect(await act(api, `${TASKS}/${one.id}`, 'complete', { state: 'released' })).toMatchObject({
      state: 'released',
      category: 'done',
    });
    expect((await readTask(api, one.id)).completedAt).not.toBeNull();
    expect(await patch(two.id, { state: 'released' })).toMatchObject({ status: 409, body: { code: 'blocked' } });
    expect((await patch(two.id, { state: 'released', force: true })).body).toMatchObject({ state: 'released' });
    expect((await patch(two.id, { state: 'wont_do' })).body).toMatchObject({ state: 'wont_do', completedAt: null });
    expect(await act(api, `${TASKS}/${two.id}`, 'reopen')).toMatchObject({ state: 'todo' });
  });

  it('is refused where it does not fit', async () => {
    await addState('qa', 'started');
    await addState('released', 'done');
    const { id } = await task();
    expect(await api.post(TASKS, { name: 'x', state: 'released' })).toMatchObject(at('/state', 'state_not_open'));
    expect(await api.post(TASKS, { name: 'x', state: 'nowhere' })).toMatchObject(at('/state', 'unknown_state'));
    expect(await patch(id, { state: 'nowhere' })).toMatchObject(at('/state', 'unknown_state'));
    expect(await patch(id, { state: 'qa', name: 'x' })).toMatchObject(at('/name', 'not_with_transition'));
    const action = (name: string, state: string) => api.post(`${TASKS}/${id}/${name}`, { state });
    expect(await action('move', 'released')).toMatchObject(at('/state', 'state_not_open'));
    expect(await action('complete', 'qa')).toMatchObject(at('/state', 'invalid_value'));
    await action('move', 'qa');
    expect(await action('move', 'qa')).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', state: 'in_progress', stage: 'qa' },
    });
  });

  it('has a key that no other state has', async () => {
    await addState('qa', 'started');
    const add = (key: string) => api.post(STATES, { name: 'x', key, category: 'started' });
    expect(await add('qa')).toMatchObject({ status: 409, body: { code: 'duplicate' } });
    expect(await add('in_review')).toMatchObject(at('/key', 'reserved'));
    expect(await idsOf(api, STATES)).toHaveLength(1);
  });
});

describe('a task state that is retired', () => {
  it('gives its tasks to another state of its category, and takes no more', async () => {
    const id = await addState('qa', 'started');
    await addState('acceptance', 'started');
    const [one, two] = [await task({ state: 'qa' }), await makeTask(api, { state: 'qa' })];
    const retire = (body?: object) => api.post(`${STATES}/${id}/retire`, body);
    expect(await retire()).toMatchObject({ status: 409, body: { code: 'in_use' } });
    for (const moveTo of ['qa', 'todo']) expect(await retire({ moveTo })).toMatchObject(at('/moveTo', 'invalid_value'));
    expect(await retire({ moveTo: 'nowhere' })).toMatchObject(at('/moveTo', 'unknown_state'));
    expect(await retire({ moveTo: 'acceptance' })).toMatchObject({ status: 200, body: { status: 'retired' } });
    for (const each of [one, two]) expect(await readTask(api, each.id)).toMatchObject({ state: 'acceptance' });
    expect(await patch(one.id, { state: 'qa' })).toMatchObject(at('/state', 'unknown_state'));
    await act(api, `${STATES}/${id}`, 'reinstate');
    expect(await patch(one.id, { state: 'qa' })).toMatchObject({ status: 200 });
    expect(await retire({ moveTo: 'in_review' })).toMatchObject({ status: 200 });
    expect(await readTask(api, one.id)).toMatchObject({ state: 'in_review' });
  });

  it('also gives away a task that enters while it is being retired', async () => {
    const id = await addState('qa', 'started');
    const one = await makeTask(api, { state: 'in_progress' });
    const enter = `update data.work_tasks set custom_state = 'qa', custom_state_id = $1 where id = $2`;
    await whileOpen(platform.database, enter, [id, one.id], () =>
      act(api, `${STATES}/${id}`, 'retire', { moveTo: 'in_review' }),
    );
    expect(await readTask(api, one.id)).toMatchObject({ state: 'in_review' });
  });
});

describe('a task state of a project', () => {
  it('takes tasks of its project only', async () => {
    const otherId = (await makeProject(api)).id;
    await addState('qa', 'started', { projectId });
    const { id } = await task({ state: 'qa' });
    expect(await readTask(api, id)).toMatchObject({ state: 'qa', category: 'started' });
    for (const foreign of [{ projectId: otherId }, {}]) {
      expect(await api.post(TASKS, { name: 'x', state: 'qa', ...foreign })).toMatchObject(
        at('/state', 'unknown_state'),
      );
      const { id: foreignId } = await makeTask(api, foreign);
      expect(await patch(foreignId, { state: 'qa' })).toMatchObject(at('/state', 'unknown_state'));
    }
    expect(await idsOf(api, `${STATES}?projectId=${otherId}`)).toEqual([]);
    expect(await idsOf(api, `${STATES}?projectId=${projectId}`)).toHaveLength(1);
    const enter = `update data.work_tasks set custom_state = 'qa', custom_state_id =
      (select id from data.work_task_states where project_id = $1), state = 'in_progress' where project_id = $2`;
    await expect(asAdmin(platform.database, enter, [projectId, otherId])).rejects.toThrow('another project');
  });

  it('can have the key of a state of the tenant or of another project, and goes before that of the tenant', async () => {
    const otherId = (await makeProject(api)).id;
    const ofTenant = await addState('qa', 'started');
    await task({ state: 'qa' });
    const own = await addState('qa', 'backlog', { projectId });
    await addState('qa', 'unstarted', { projectId: otherId });
    expect(await readTask(api, (await task({ state: 'qa' })).id)).toMatchObject({ category: 'backlog' });
    expect(await readTask(api, (await makeTask(api, { state: 'qa' })).id)).toMatchObject({ category: 'started' });
    expect(await idsOf(api, `${TASKS}?state=qa`)).toHaveLength(3);
    const again = await api.post(STATES, { name: 'x', key: 'qa', category: 'started', projectId });
    expect(again).toMatchObject({ status: 409, body: { code: 'duplicate' } });
    await addState('triage', 'started', { projectId });
    const retire = (id: string, moveTo: string) => api.post(`${STATES}/${id}/retire`, { moveTo });
    expect(await retire(ofTenant, 'triage')).toMatchObject(at('/moveTo', 'unknown_state'));
    const triage = await addState('triage2', 'started', { projectId });
    expect(await retire(triage, 'qa')).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/moveTo', detail: 'The state qa has the category backlog here, not started.' }] },
    });
    expect(await retire(own, 'backlog')).toMatchObject({ status: 200 });
  });

  it('is hidden with a private project', async () => {
    const scopes = ['projects:read', 'task-states:*'];
    const [ada, eve] = [await platform.member(tenant, 'Ada', scopes), await platform.member(tenant, 'Eve', scopes)];
    const hidden = await makeProject(api, { visibility: 'private', memberIds: [ada.id] });
    const id = await addState('qa', 'started', { projectId: hidden.id });
    expect(await idsOf(ada.api, STATES)).toEqual([id]);
    expect(await idsOf(eve.api, STATES)).toEqual([]);
    const missing = { status: 404, body: { code: 'not_found' } };
    expect(await eve.api.get(`${STATES}/${id}`)).toMatchObject(missing);
    expect(await eve.api.patch(`${STATES}/${id}`, { position: 3 })).toMatchObject(missing);
    const another = { name: 'QA', key: 'qa2', category: 'started', projectId: hidden.id };
    expect(await eve.api.post(STATES, another)).toMatchObject(at('/projectId', 'unknown_reference'));
  });

  it('needs an open project of the tenant', async () => {
    const state = { name: 'QA', key: 'qa', category: 'started' };
    const foreign = await makeProject((await platform.tenant()).api);
    expect(await api.post(STATES, { ...state, projectId: foreign.id })).toMatchObject(
      at('/projectId', 'unknown_reference'),
    );
    await act(api, `${PROJECTS}/${projectId}`, 'cancel', { reason: 'x' });
    expect(await api.post(STATES, { ...state, projectId })).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
  });
});
