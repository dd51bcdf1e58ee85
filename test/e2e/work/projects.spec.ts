import type { ShownProject } from '#src/areas/work/projects/project.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { eventsOf } from '../../harness/written.js';
import { act, idsOf, makeMilestone, makeProject, makeTask, PROJECTS, readProject, readTask } from './work-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;

beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ api } = tenant);
});
afterAll(() => platform.close());

const patch = (id: string, body: object) => api.patch<ShownProject & { code: string }>(`${PROJECTS}/${id}`, body);

describe('a new project', () => {
  it('needs only a name', async () => {
    expect(await makeProject(api)).toMatchObject({
      object: 'work.project',
      reference: 'PRJ-000001',
      key: 'ACME',
      status: 'planned',
      health: 'unknown',
      priority: 'none',
      visibility: 'workspace',
      budget: null,
      billing: { model: 'none', budgetMinor: null, currency: 'USD' },
      progressMethod: 'tasks',
      progressPercent: 0,
      taskCounts: { backlog: 0, unstarted: 0, started: 0, done: 0, cancelled: 0 },
      spentMinutes: 0,
      budgetUsedPercent: null,
      healthComputed: 'on_track',
    });
  });

  it('is also available under the short path', async () => {
    const { status, body } = await api.post<ShownProject>('/api/work/projects', { name: 'Short' });
    expect(status).toBe(201);
    expect(await readProject(api, body.id)).toMatchObject({ name: 'Short' });
  });

  it.each([
    ['Acme rollout', 'ACME'],
    ['Élan vital', 'ELAN'],
    ['IT', 'IT'],
    ['2027 budget', 'BUDG'],
    ['東京', 'PRJ'],
    ['X', 'PRJ'],
  ])('named %s gets the key %s', async (name, key) => {
    expect(await makeProject(api, { name })).toMatchObject({ key });
  });

  it('never gets the key of another project or that of personal tasks', async () => {
    await makeProject(api, { name: 'Other', key: 'ACME2' });
    const keys = [];
    for (let i = 0; i < 3; i++) keys.push((await makeProject(api)).key);
    expect(keys).toEqual(['ACME', 'ACME3', 'ACME4']);
    expect(await makeProject(api, { name: 'Tasks' })).toMatchObject({ key: 'TASK2' });
    expect(await api.post(PROJECTS, { name: 'x', key: 'TASK' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/key', code: 'reserved' }] },
    });
    expect(await api.post(PROJECTS, { name: 'x', key: 'ACME' })).toMatchObject({
      status: 409,
      body: { code: 'duplicate', field: 'key' },
    });
  });

  it('gets a unique key under concurrent requests', async () => {
    const projects = await Promise.all(Array.from({ length: 20 }, () => makeProject(api)));
    expect(new Set(projects.map(({ key }) => key)).size).toBe(20);
  });

  it('accepts its budget in major units, exactly', async () => {
    expect(await makeProject(api, { budget: 1234.56 })).toMatchObject({
      budget: 1234.56,
      billing: { budgetMinor: 123456 },
    });
    const billing = { currency: 'JPY', budgetMinor: 500 };
    expect(await makeProject(api, { budget: 500, billing })).toMatchObject({ budget: 500, billing });
    expect(await api.post(PROJECTS, { name: 'x', budget: 5.5, billing: { currency: 'JPY' } })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/budget', code: 'out_of_range' }] },
    });
    expect(await api.post(PROJECTS, { name: 'x', budget: 5, billing: { budgetMinor: 5 } })).toMatchObject({
      status: 400,
      body: { code: 'amount_mismatch' },
    });
  });

  it('cannot end before it starts', async () => {
    const dates = { startDate: '2026-12-02', targetDate: '2026-12-01' };
    const refused = { status: 400, body: { errors: [{ pointer: '/targetDate', code: 'out_of_range' }] } };
    expect(await api.post(PROJECTS, { name: 'x', ...dates })).toMatchObject(refused);
    const { id } = await makeProject(api, { startDate: '2026-12-02' });
    expect(await patch(id, { targetDate: '2026-12-01' })).toMatchObject(refused);
  });
});

describe('a project that changes', () => {
  it('merges its billing', async () => {
    const { id } = await makeProject(api, { budget: 100, billing: { model: 'fixed', hourlyRateMinor: 9000 } });
    const { body } = await patch(id, { billing: { hourlyRateMinor: null, budgetMinutes: 600 } });
    expect(body).toMatchObject({
      budget: 100,
      billing: { model: 'fixed', budgetMinor: 10000, hourlyRateMinor: null, budgetMinutes: 600 },
    });
    expect((await patch(id, { budget: null })).body).toMatchObject({ budget: null, billing: { budgetMinor: null } });
  });

  it('keeps its key once it has had a task', async () => {
    const { id } = await makeProject(api);
    expect((await patch(id, { key: 'ROLL' })).body).toMatchObject({ key: 'ROLL' });
    const task = await makeTask(api, { projectId: id });
    expect(task.reference).toBe('ROLL-1');
    await api.delete(`/api/v1/work/tasks/${task.id}`);
    expect(await patch(id, { key: 'ACME' })).toMatchObject({ status: 409, body: { code: 'record_locked' } });
    expect((await readProject(api, id)).key).toBe('ROLL');
  });

  it('always has its owner among its members', async () => {
    const [ada, bob] = [await platform.member(tenant, 'Ada'), await platform.member(tenant, 'Bob')];
    const { id, memberIds } = await makeProject(ada.api, { memberIds: [bob.id] });
    expect(memberIds).toEqual([ada.id, bob.id]);
    expect(await idsOf(bob.api, `${PROJECTS}?memberId=me`)).toEqual([id]);
    expect((await patch(id, { ownerId: bob.id })).body.memberIds).toEqual([bob.id]);
    expect(await idsOf(ada.api, `${PROJECTS}?memberId=me`)).toEqual([]);
    expect(await patch(id, { memberIds: [id] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/memberIds', code: 'unknown_reference' }] },
    });
  });
});

describe('the health of a project', () => {
  it('needs a note unless it is on track', async () => {
    const { id } = await makeProject(api);
    const path = `${PROJECTS}/${id}`;
    expect(await api.post(`${path}/set-health`, { health: 'at_risk' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/note', code: 'required' }] },
    });
    expect(await act(api, path, 'set-health', { health: 'on_track' })).toMatchObject({ health: 'on_track' });
    const note = 'The customer is late';
    expect(await act(api, path, 'set-health', { health: 'off_track', note })).toMatchObject({
      health: 'off_track',
      healthNote: note,
      status: 'planned',
    });
    expect((await eventsOf(platform, tenant, id)).map(({ type }) => type)).toEqual([
      'work.project.created',
      'work.project.health_changed',
      'work.project.health_changed',
    ]);
  });

  it('can be set by a patch', async () => {
    const { id } = await makeProject(api);
    expect((await patch(id, { health: 'at_risk', healthNote: 'Slow' })).body).toMatchObject({
      health: 'at_risk',
      healthNote: 'Slow',
    });
    expect((await eventsOf(platform, tenant, id)).at(-1)).toMatchObject({
      type: 'work.project.health_changed',
      changes: { health: { from: 'unknown', to: 'at_risk' } },
    });
    expect(await patch(id, { health: 'on_track', name: 'x' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/name', code: 'not_with_transition' }] },
    });
    expect(await patch(id, { healthNote: 'x' })).toMatchObject({ status: 400 });
  });
});

describe('a project that is completed', () => {
  it('has no open tasks or milestones unless forced', async () => {
    const { id } = await makeProject(api);
    const path = `${PROJECTS}/${id}`;
    await act(api, path, 'start');
    const open = await makeTask(api, { projectId: id });
    await makeMilestone(api, { projectId: id });
    expect(await api.post(`${path}/complete`)).toMatchObject({
      status: 409,
      body: { code: 'blocked', detail: 'Open tasks: 1; open milestones: 1; to be accepted: 0.' },
    });
    const completed = await act<ShownProject>(api, path, 'complete', { force: true });
    expect(completed).toMatchObject({
      status: 'completed',
      taskCounts: { backlog: 0, cancelled: 1 },
    });
    expect(completed.completedAt).not.toBeNull();
    expect(await readProject(api, id)).toMatchObject({ status: 'completed', taskCounts: { backlog: 0, cancelled: 1 } });
    expect(await readTask(api, open.id)).toMatchObject({ state: 'cancelled', version: 2 });
    expect((await eventsOf(platform, tenant, open.id)).at(-1)).toMatchObject({ type: 'work.task.state_changed' });
  });

  it('requires accepted milestones where configured', async () => {
    const { id } = await makeProject(api);
    const path = `${PROJECTS}/${id}`;
    await act(api, path, 'start');
    const milestone = await makeMilestone(api, { projectId: id, acceptance: { required: true } });
    await act(api, `/api/v1/work/milestones/${milestone.id}`, 'reach');
    expect(await api.post(`${path}/complete`, { force: true })).toMatchObject({
      status: 409,
      body: { code: 'blocked', detail: 'Open tasks: 0; open milestones: 0; to be accepted: 1.' },
    });
    await act(api, `/api/v1/work/milestones/${milestone.id}`, 'accept');
    expect(await act(api, path, 'complete')).toMatchObject({ status: 'completed' });
  });

  it('supports the whole life cycle by PATCH', async () => {
    const { id } = await makeProject(api);
    const steps: [object, string][] = [
      [{ status: 'active' }, 'active'],
      [{ status: 'on_hold', reason: 'Holidays' }, 'on_hold'],
      [{ status: 'active' }, 'active'],
      [{ status: 'completed' }, 'completed'],
      [{ status: 'active' }, 'active'],
      [{ status: 'cancelled', reason: 'No budget' }, 'cancelled'],
    ];
    for (const [body, status] of steps) expect((await patch(id, body)).body).toMatchObject({ status });
    expect(await readProject(api, id)).toMatchObject({ cancelledReason: 'No budget', completedAt: null });
    expect((await eventsOf(platform, tenant, id)).map(({ type }) => type.split('.')[2])).toEqual([
      'created',
      'started',
      'held',
      'resumed',
      'completed',
      'reopened',
      'cancelled',
    ]);
    expect(await patch(id, { status: 'planned' })).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  });
});
