import pg from 'pg';
import { until } from '#libs/testing/until.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, makeProject, makeTask, makeTime, PROJECTS, readProject, readTask, TASKS, TIME } from './work-calls.js';

/** Invariants of the domain, tested with concurrent requests that would break them. */
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

const ROUNDS = 8;
const task = (body: object = {}) => makeTask(api, { projectId, ...body });
const sql = <R extends Record<string, unknown>>(text: string) => asAdmin<R>(platform.database, text, [tenant.id]);
const statusesOf = async (calls: Promise<{ status: number; text: string }>[]) =>
  (await Promise.all(calls)).map(({ status, text }) => {
    if (status >= 500) throw new Error(text);
    return status;
  });

describe('two tasks with one number', () => {
  it('are never created under concurrent requests, and no number is skipped', async () => {
    const tasks = await Promise.all(Array.from({ length: 40 }, () => task()));
    expect(tasks.map(({ number }) => number!).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
  });

  it('do not occur after rejections, which leave no gap', async () => {
    const bodies = Array.from({ length: 20 }, (_, i) =>
      i % 2 ? { name: 'x', projectId } : { name: 'x', projectId, assigneeIds: [projectId] },
    );
    await Promise.all(bodies.map((body) => api.post(TASKS, body)));
    expect(await task()).toMatchObject({ number: 11 });
  });
});

describe('a cycle', () => {
  const cycles = (column: 'blockers' | 'parents') =>
    column === 'parents'
      ? sql(`select 1 from data.work_tasks a join data.work_tasks b on b.tenant_id = a.tenant_id and b.id = a.parent_id
          where a.tenant_id = $1 and b.parent_id = a.id`)
      : sql(`select 1 from data.work_task_blockers a join data.work_task_blockers b
          on b.tenant_id = a.tenant_id and b.task_id = a.blocker_id and b.blocker_id = a.task_id
          where a.tenant_id = $1`);

  it.each([
    ['personal', false],
    ['project', true],
  ])('is never closed by two concurrent requests (%s tasks)', async (_, ofProject) => {
    const make = () => (ofProject ? task() : makeTask(api));
    for (let round = 0; round < ROUNDS; round++) {
      const [a, b] = [await make(), await make()];
      const blockers = await statusesOf([
        api.patch(`${TASKS}/${a.id}`, { blockedByIds: [b.id] }),
        api.patch(`${TASKS}/${b.id}`, { blockedByIds: [a.id] }),
      ]);
      expect(blockers.sort()).toEqual([200, 400]);
      const parents = await statusesOf([
        api.patch(`${TASKS}/${a.id}`, { parentId: b.id }),
        api.patch(`${TASKS}/${b.id}`, { parentId: a.id }),
      ]);
      expect(parents.sort()).toEqual([200, 400]);
      const [c, d] = [await make(), await make()];
      const both = await statusesOf([
        api.patch(`${TASKS}/${c.id}`, { blockedByIds: [d.id] }),
        api.patch(`${TASKS}/${c.id}`, { parentId: d.id }),
      ]);
      expect(both.sort()).toEqual([200, 400]);
      const [e, f, g] = [await make(), await make(), await make()];
      await api.patch(`${TASKS}/${e.id}`, { blockedByIds: [f.id] });
      const around = await statusesOf([
        api.patch(`${TASKS}/${f.id}`, { blockedByIds: [g.id] }),
        api.patch(`${TASKS}/${e.id}`, { parentId: g.id }),
      ]);
      expect(around.sort()).toEqual([200, 400]);
    }
    expect([...(await cycles('blockers')), ...(await cycles('parents'))]).toEqual([]);
  });

  it('is rejected by the database for any writer', async () => {
    const part = await task();
    const [a, b] = [await makeTask(api, { projectId, blockedByIds: [part.id] }), await task()];
    await api.patch(`${TASKS}/${part.id}`, { parentId: b.id });
    for (const [change, id] of [
      [`blocked_by_ids = '["${a.id}"]'`, part.id], // would wait for what waits for it
      [`blocked_by_ids = '["${b.id}"]'`, part.id], // would wait for what it is a part of
      [`parent_id = '${part.id}'`, b.id], // would be a part of its part
    ])
      await expect(sql(`update data.work_tasks set ${change} where tenant_id = $1 and id = '${id}'`)).rejects.toThrow(
        /own ancestor|wait for itself/,
      );
  });

  it('never results in depth four from two concurrent requests', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [a, b, c, d] = [await task(), await task(), await task(), await task()];
      await api.patch(`${TASKS}/${b.id}`, { parentId: a.id });
      const statuses = await statusesOf([
        api.patch(`${TASKS}/${c.id}`, { parentId: b.id }),
        api.patch(`${TASKS}/${d.id}`, { parentId: c.id }),
      ]);
      expect(statuses.sort()).toEqual([200, 400]);
    }
  });

  it.each([
    ['blockers of a project', true, (other: string) => `blocked_by_ids = '["${other}"]'`],
    ['blockers of personal tasks', false, (other: string) => `blocked_by_ids = '["${other}"]'`],
    ['parents in a project', true, (other: string) => `parent_id = '${other}'`],
    ['parents of personal tasks', false, (other: string) => `parent_id = '${other}'`],
  ])('is not closed by two isolated transactions: %s', async (_, ofProject, change) => {
    const make = () => (ofProject ? task() : makeTask(api));
    const [a, b] = [await make(), await make()];
    const clients = [0, 1].map(() => new pg.Client({ connectionString: platform.database.adminUrl }));
    const [first, second] = clients as [pg.Client, pg.Client];
    await Promise.all(clients.map((client) => client.connect()));
    const half = (client: pg.Client, id: string, other: string) =>
      client.query(`update data.work_tasks set ${change(other)} where tenant_id = $1 and id = $2`, [tenant.id, id]);
    try {
      await Promise.all(clients.map((client) => client.query('begin')));
      await half(first, a.id, b.id);
      const outcome = half(second, b.id, a.id).then(
        () => 'done',
        (error: Error) => error.message,
      );
      await until(
        async () => (await sql('select 1 from pg_locks where not granted and $1::uuid is not null')).length > 0,
      );
      await first.query('commit');
      expect(await outcome).toMatch(/own ancestor|wait for itself/);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  });
});

describe('a completed project with an open task', () => {
  it('never occurs, whatever is created during completion', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await makeProject(api);
      await act(api, `${PROJECTS}/${id}`, 'start');
      const closed = await makeTask(api, { projectId: id });
      await act(api, `${TASKS}/${closed.id}`, 'complete');
      const statuses = await statusesOf([
        api.post(TASKS, { name: 'late', projectId: id }),
        api.post(`${PROJECTS}/${id}/complete`, { force: true }),
        api.post(`${TASKS}/${closed.id}/reopen`),
        api.post(TASKS, { name: 'later', projectId: id }),
      ]);
      expect(statuses[1]).toBe(200);
    }
    const open = await sql(`select 1 from data.work_tasks t join data.work_projects p
      on p.tenant_id = t.tenant_id and p.id = t.project_id
      where p.tenant_id = $1 and p.status = 'completed' and t.category not in ('done', 'cancelled')`);
    expect(open).toEqual([]);
  });

  it('is rejected afterwards, by the service and by the database', async () => {
    const done = await task();
    await act(api, `${TASKS}/${done.id}`, 'complete');
    await act(api, `${PROJECTS}/${projectId}`, 'start');
    await act(api, `${PROJECTS}/${projectId}`, 'complete');
    const locked = { status: 409, body: { code: 'record_locked' } };
    expect(await api.post(TASKS, { name: 'x', projectId })).toMatchObject(locked);
    expect(await api.post(`${TASKS}/${done.id}/reopen`)).toMatchObject(locked);
    await expect(
      sql(`update data.work_tasks set state = 'todo', completed_at = null where tenant_id = $1`),
    ).rejects.toThrow('work_projects_closed_has_no_open_task');
  });

  it('does not occur through an archived task', async () => {
    const { id } = await task();
    await act(api, `${TASKS}/${id}`, 'archive');
    await act(api, `${PROJECTS}/${projectId}`, 'cancel', { reason: 'x' });
    expect(await readTask(api, id)).toMatchObject({ state: 'cancelled' });
  });
});

describe('a task in another tenant’s project', () => {
  it('is rejected by the database', async () => {
    const other = await platform.tenant();
    const foreign = await makeProject(other.api);
    await task();
    await expect(sql(`update data.work_tasks set project_id = '${foreign.id}' where tenant_id = $1`)).rejects.toThrow(
      /foreign key|stays in its project/,
    );
  });
});

describe('more than 1,440 minutes of a member on a day', () => {
  it('are never booked under concurrent requests', async () => {
    const ada = await platform.member(tenant, 'Ada');
    const entry = { membershipId: ada.id, workDate: '2026-11-20', minutes: 100 };
    const statuses = await statusesOf(Array.from({ length: 30 }, () => api.post(TIME, { ...entry, projectId })));
    expect(statuses.filter((status) => status === 201)).toHaveLength(14);
    expect(statuses.filter((status) => status === 409)).toHaveLength(16);
    expect(await readProject(api, projectId)).toMatchObject({ spentMinutes: 1400 });
    expect(await api.post(TIME, { ...entry, minutes: 41 })).toMatchObject({
      status: 409,
      body: { code: 'limit_reached' },
    });
    const last = await makeTime(api, { ...entry, minutes: 40 });
    expect(await api.patch(`${TIME}/${last.id}`, { minutes: 41 })).toMatchObject({ status: 409 });
    const next = await makeTime(api, { ...entry, workDate: '2026-11-21' });
    expect(await api.patch(`${TIME}/${next.id}`, { workDate: '2026-11-20' })).toMatchObject({ status: 409 });
  });
});

describe('two running timers of a member', () => {
  it('are never started, even concurrently', async () => {
    const ada = await platform.member(tenant, 'Ada');
    const statuses = await statusesOf(Array.from({ length: 10 }, () => ada.api.post(`${TIME}/start`)));
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(await ada.api.post(`${TIME}/start`, {})).toMatchObject({ status: 409, body: { code: 'timer_running' } });
    const stops = await statusesOf(Array.from({ length: 5 }, () => ada.api.post(`${TIME}/stop`)));
    expect(stops.filter((status) => status === 200)).toHaveLength(1);
  });
});

describe('the figures of a project', () => {
  it('match its parts after many concurrent changes', async () => {
    const tasks = await Promise.all(Array.from({ length: 12 }, () => task({ estimateMinutes: 60 })));
    const actions = ['start', 'complete', 'cancel', 'review', 'plan'];
    await statusesOf(
      tasks.flatMap(({ id }, i) => [
        api.post(`${TASKS}/${id}/${actions[i % 5]}`),
        api.patch(`${TASKS}/${id}`, { estimateMinutes: 10 * (i + 1) }),
        i % 4 === 0 ? api.delete(`${TASKS}/${id}`) : api.patch(`${PROJECTS}/${projectId}`, { description: String(i) }),
      ]),
    );
    const [found] = await sql(`
      select p.backlog_tasks = count(t) filter (where t.category = 'backlog') as a,
        p.unstarted_tasks = count(t) filter (where t.category = 'unstarted') as b,
        p.started_tasks = count(t) filter (where t.category = 'started') as c,
        p.done_tasks = count(t) filter (where t.category = 'done') as d,
        p.cancelled_tasks = count(t) filter (where t.category = 'cancelled') as e,
        p.estimate_minutes = coalesce(sum(t.estimate_minutes) filter (where t.category <> 'cancelled'), 0) as f,
        p.done_estimate_minutes = coalesce(sum(t.estimate_minutes) filter (where t.category = 'done'), 0) as g
      from data.work_projects p left join data.work_tasks t on t.tenant_id = p.tenant_id and t.project_id = p.id
        and t.deleted_at is null
      where p.tenant_id = $1 group by p.tenant_id, p.id`);
    expect(found).toEqual({ a: true, b: true, c: true, d: true, e: true, f: true, g: true });
  });
});
