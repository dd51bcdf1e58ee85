import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  idsOf,
  makeMilestone,
  makeProject,
  makeTask,
  makeTime,
  MILESTONES,
  PROJECTS,
  TASKS,
  TIME,
} from './work-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
let ada: { id: string; api: Client };
let eve: { id: string; api: Client };
let projectId: string;
let parts: Record<string, string>;

/** All permissions of work, except the one to see private projects. */
const SCOPES = ['projects:read', 'projects:write', 'projects:delete', 'tasks:*', 'milestones:*', 'time-entries:*'];

beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ api } = tenant);
  [ada, eve] = await Promise.all([platform.member(tenant, 'Ada', SCOPES), platform.member(tenant, 'Eve', SCOPES)]);
  projectId = (await makeProject(api, { visibility: 'private', memberIds: [ada.id] })).id;
  parts = {
    [PROJECTS]: projectId,
    [TASKS]: (await makeTask(api, { projectId })).id,
    [MILESTONES]: (await makeMilestone(api, { projectId })).id,
    [TIME]: (await makeTime(api, { projectId, membershipId: ada.id })).id,
  };
});
afterAll(() => platform.close());

describe('a private project', () => {
  it('and its parts are visible to its members', async () => {
    for (const [path, id] of Object.entries(parts)) {
      expect(await idsOf(ada.api, path)).toEqual([id]);
      expect(await ada.api.get(`${path}/${id}`)).toMatchObject({ status: 200 });
      expect(await ada.api.patch(`${path}/${id}`, { tags: ['seen'] })).toMatchObject({ status: 200 });
    }
  });

  it('and its parts return 404 for everyone else', async () => {
    const service = await platform.key(tenant, SCOPES);
    for (const caller of [eve.api, service])
      for (const [path, id] of Object.entries(parts)) {
        expect(await idsOf(caller, path)).toEqual([]);
        expect(await idsOf(caller, `${path}?ids=${id}&includeDeleted=true`)).toEqual([]);
        const missing = { status: 404, body: { code: 'not_found' } };
        expect(await caller.get(`${path}/${id}`)).toMatchObject(missing);
        expect(await caller.patch(`${path}/${id}`, { tags: ['seen'] })).toMatchObject(missing);
        expect(await caller.delete(`${path}/${id}`)).toMatchObject(missing);
      }
    expect(await eve.api.post(`${TASKS}/${parts[TASKS]}/complete`)).toMatchObject({ status: 404 });
    expect(await eve.api.patch(TASKS, { items: [{ id: parts[TASKS], name: 'x' }] })).toMatchObject({
      body: { results: [{ ok: false, problem: { status: 404 } }] },
    });
  });

  it('cannot be referenced by anyone else', async () => {
    const refused = (pointer: string) => ({ status: 400, body: { errors: [{ pointer, code: 'unknown_reference' }] } });
    const { api: caller } = eve;
    expect(await caller.post(TASKS, { name: 'x', projectId })).toMatchObject(refused('/projectId'));
    expect(await caller.post(MILESTONES, { name: 'x', projectId })).toMatchObject(refused('/projectId'));
    expect(await caller.post(TIME, { minutes: 5, projectId })).toMatchObject(refused('/projectId'));
    expect(await caller.post(TIME, { minutes: 5, taskId: parts[TASKS] })).toMatchObject(refused('/taskId'));
    expect(await caller.post(`${TIME}/start`, { taskId: parts[TASKS] })).toMatchObject(refused('/taskId'));
    const own = await makeTime(caller, {});
    expect(await caller.patch(`${TIME}/${own.id}`, { projectId })).toMatchObject(refused('/projectId'));
    const task = await makeTask(caller, {});
    expect(await caller.patch(`${TASKS}/${task.id}`, { blockedByIds: [parts[TASKS]] })).toMatchObject(
      refused('/blockedByIds'),
    );
  });

  it('is visible to its owner and to project managers, and to everyone once public', async () => {
    expect(await idsOf(eve.api, PROJECTS)).toEqual([]);
    await api.patch(`${PROJECTS}/${projectId}`, { ownerId: eve.id });
    expect(await idsOf(eve.api, TASKS)).toEqual([parts[TASKS]]);
    await api.patch(`${PROJECTS}/${projectId}`, { ownerId: null, memberIds: [] });
    expect(await idsOf(eve.api, TASKS)).toEqual([]);
    const manager = await platform.key(tenant, [...SCOPES, 'projects:manage']);
    expect(await idsOf(manager, TASKS)).toEqual([parts[TASKS]]);
    await api.patch(`${PROJECTS}/${projectId}`, { visibility: 'workspace' });
    expect(await idsOf(eve.api, TIME)).toEqual([parts[TIME]]);
  });
});

describe('a deleted project', () => {
  it('hides its parts until it is restored', async () => {
    await api.delete(`${PROJECTS}/${projectId}`);
    for (const path of [TASKS, MILESTONES, TIME]) {
      expect(await idsOf(api, path)).toEqual([]);
      expect(await api.get(`${path}/${parts[path]}`)).toMatchObject({ status: 404 });
    }
    await api.post(`${PROJECTS}/${projectId}/restore`);
    for (const path of [TASKS, MILESTONES, TIME]) expect(await idsOf(api, path)).toEqual([parts[path]]);
  });
});
