import { DAY_MS } from '#libs/kernel/durations.js';
import { OVER_BUDGET_SQL } from '#src/areas/work/projects/project.filters.js';
import type { ShownProject } from '#src/areas/work/projects/project.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  act,
  idsOf,
  makeMilestone,
  makeProject,
  makeTask,
  makeTime,
  MILESTONES,
  PROJECTS,
  read,
  readProject,
  TASKS,
} from './work-calls.js';
import { scatterProjects } from './scattered-projects.js';

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

const HEALTH = ['on_track', 'at_risk', 'off_track'] as const;
/** The date a number of days from now. */
const day = (offset: number) => new Date(platform.clock.nowMs() + offset * DAY_MS).toISOString().slice(0, 10);
const pass = (days: number) => platform.clock.advance(days * DAY_MS);

/** The health shown by a project, which the filters of the list also find. */
async function shown({ id }: { id: string }): Promise<ShownProject> {
  const project = await readProject(api, id);
  for (const health of HEALTH)
    expect((await idsOf(api, `${PROJECTS}?healthComputed=${health}&ids=${id}`)).length).toBe(
      health === project.healthComputed ? 1 : 0,
    );
  for (const overdue of [true, false])
    expect((await idsOf(api, `${PROJECTS}?isOverdue=${overdue}&ids=${id}`)).length).toBe(
      overdue === project.isOverdue ? 1 : 0,
    );
  return project;
}

async function started(body: object = {}): Promise<ShownProject> {
  const { id } = await makeProject(api, body);
  return act<ShownProject>(api, `${PROJECTS}/${id}`, 'start');
}

describe('the computed health of a project', () => {
  it('is off track as of the day after the target date', async () => {
    const project = await started({ targetDate: day(2) });
    expect(await shown(project)).toMatchObject({ healthComputed: 'on_track', isOverdue: false, slippageDays: 0 });
    pass(2);
    expect(await shown(project)).toMatchObject({ healthComputed: 'on_track', isOverdue: false });
    pass(1);
    expect(await shown(project)).toMatchObject({ healthComputed: 'off_track', isOverdue: true, slippageDays: 1 });
    await act(api, `${PROJECTS}/${project.id}`, 'complete');
    pass(5);
    expect(await shown(project)).toMatchObject({ isOverdue: false, slippageDays: 1, healthComputed: 'off_track' });
  });

  it('does not count days on hold', async () => {
    const project = await started({ targetDate: day(2) });
    const path = `${PROJECTS}/${project.id}`;
    pass(1);
    await act(api, path, 'hold', { reason: 'Holidays' });
    pass(10);
    expect(await shown(project)).toMatchObject({ healthComputed: 'on_track', isOverdue: false, slippageDays: 0 });
    await act(api, path, 'resume');
    pass(1);
    expect(await shown(project)).toMatchObject({ isOverdue: false, slippageDays: 0 });
    pass(2);
    expect(await shown(project)).toMatchObject({ isOverdue: true, slippageDays: 2, healthComputed: 'off_track' });
  });

  it('is at risk while an open milestone is late', async () => {
    const project = await started({ targetDate: day(90) });
    const milestone = await makeMilestone(api, { projectId: project.id, dueDate: day(1) });
    await makeMilestone(api, { projectId: project.id, dueDate: day(60) });
    pass(1);
    expect(await shown(project)).toMatchObject({ healthComputed: 'on_track' });
    pass(1);
    expect(await shown(project)).toMatchObject({ healthComputed: 'at_risk' });
    expect(await idsOf(api, `${MILESTONES}?isMissed=true`)).toEqual([milestone.id]);
    await api.patch(`${MILESTONES}/${milestone.id}`, { dueDate: day(3) });
    expect(await shown(project)).toMatchObject({ healthComputed: 'on_track' });
    pass(4);
    await act(api, `${MILESTONES}/${milestone.id}`, 'reach');
    expect(await shown(project)).toMatchObject({ healthComputed: 'on_track' });
  });

  it('is at risk above 85 percent of the budget, and off track above 100', async () => {
    const ada = await platform.member(tenant, 'Ada');
    const project = await started({ billing: { budgetMinutes: 1_000 } });
    const spend = (minutes: number) => makeTime(ada.api, { projectId: project.id, minutes });
    await spend(850);
    expect(await shown(project)).toMatchObject({ budgetUsedPercent: 85, healthComputed: 'on_track' });
    await spend(1);
    expect(await shown(project)).toMatchObject({ budgetUsedPercent: 85.1, healthComputed: 'at_risk' });
    await spend(149);
    expect(await shown(project)).toMatchObject({ budgetUsedPercent: 100, healthComputed: 'at_risk' });
    await spend(1);
    expect(await shown(project)).toMatchObject({ budgetUsedPercent: 100.1, healthComputed: 'off_track' });
    await api.patch(`${PROJECTS}/${project.id}`, { billing: { budgetMinutes: null } });
    expect(await shown(project)).toMatchObject({ budgetUsedPercent: null, healthComputed: 'on_track' });
  });

  it('is at risk when its pace will miss the target date', async () => {
    const project = await started({ startDate: day(0), targetDate: day(10) });
    const tasks = [];
    for (let i = 0; i < 4; i++) tasks.push(await makeTask(api, { projectId: project.id }));
    pass(2);
    expect(await shown(project)).toMatchObject({ progressPercent: 0, healthComputed: 'on_track' });
    await act(api, `${TASKS}/${tasks[0]!.id}`, 'complete');
    expect(await shown(project)).toMatchObject({ progressPercent: 25, healthComputed: 'on_track' });
    pass(1);
    expect(await shown(project)).toMatchObject({ healthComputed: 'at_risk' });
    await act(api, `${TASKS}/${tasks[1]!.id}`, 'complete');
    expect(await shown(project)).toMatchObject({ progressPercent: 50, healthComputed: 'on_track' });
  });
});

describe('any project', () => {
  it('is found by the health that it shows, and counted as over its budget if it is', () =>
    platform.clock.standStill(async () => {
      await scatterProjects(platform, tenant, 400);
      const list = async (query: string) => {
        const found: ShownProject[] = [];
        for (let cursor = ''; ;) {
          const { data, page } = await read<{ data: ShownProject[]; page: { nextCursor: string | null } }>(
            api,
            `${PROJECTS}?limit=100&${query}${cursor}`,
          );
          found.push(...data);
          if (page.nextCursor === null) return found;
          cursor = `&cursor=${page.nextCursor}`;
        }
      };
      for (let passed = 0; passed < 3; passed++, pass(2)) {
        const all = await list('');
        expect(all).toHaveLength(400);
        const shownAs = (health: string) => all.filter(({ healthComputed }) => healthComputed === health);
        for (const health of HEALTH) {
          expect(shownAs(health).length).toBeGreaterThan(20);
          expect((await list(`healthComputed=${health}`)).map(({ id }) => id)).toEqual(
            shownAs(health).map(({ id }) => id),
          );
        }
      }
      const over = await asAdmin<{ id: string; over: boolean }>(
        platform.database,
        `select t.id, ${OVER_BUDGET_SQL} as over from data.work_projects t
       where t.tenant_id = $1 and coalesce(t.budget_minor, 1) > 0 and coalesce(t.budget_minutes, 1) > 0`,
        [tenant.id],
      );
      const used = new Map((await list('')).map(({ id, budgetUsedPercent }) => [id, budgetUsedPercent]));
      expect(over.length).toBeGreaterThan(100);
      expect(over).toEqual(over.map(({ id }) => ({ id, over: (used.get(id) ?? 0) > 100 })));
    }));
});

describe('the list of projects', () => {
  it('supports every documented filter', async () => {
    const [account, ada] = [await makeAccount(), await platform.member(tenant, 'Ada')];
    const deal = await api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Deal' });
    const wanted = await makeProject(api, {
      name: 'Wanted',
      ownerId: ada.id,
      accountId: account,
      dealId: deal.body.id,
      priority: 'high',
      tags: ['Key'],
      startDate: '2026-01-01',
      targetDate: '2026-02-01',
      billing: { model: 'retainer' },
    });
    await makeProject(api, { name: 'Other' });
    await act(api, `${PROJECTS}/${wanted.id}`, 'start');
    await act(api, `${PROJECTS}/${wanted.id}`, 'set-health', { health: 'at_risk', note: 'x' });
    for (const filter of [
      'status=active',
      'health=at_risk',
      'health[in]=at_risk,off_track',
      'health[ne]=unknown',
      'healthComputed=off_track',
      'priority=high',
      `ownerId=${ada.id}`,
      `memberId=${ada.id}`,
      `accountId=${account}`,
      `dealId=${deal.body.id}`,
      'billing.model=retainer',
      'startDate=2026-01-01',
      'targetDate[lt]=2026-03-01',
      'isOverdue=true',
      'tag=key',
      'key=WANT',
      'q=wanted',
    ])
      expect({ filter, ids: await idsOf(api, `${PROJECTS}?${filter}`) }).toEqual({ filter, ids: [wanted.id] });
    expect(await api.get(`${PROJECTS}?budget=1`)).toMatchObject({ status: 400 });
  });

  it.each([
    ['name', [{ name: 'a' }, { name: 'b' }]],
    ['startDate', [{ startDate: '2026-01-01' }, { startDate: '2026-01-02' }]],
    ['targetDate', [{ targetDate: '2026-01-01' }, { targetDate: '2026-01-02' }]],
    ['priority', [{ priority: 'low' }, { priority: 'medium' }]],
    ['createdAt', [{}, {}]],
    ['updatedAt', [{}, {}]],
    [
      'progressPercent',
      [
        { progressMethod: 'manual', progressPercent: 0 },
        { progressMethod: 'manual', progressPercent: 0.0001 },
      ],
    ],
  ])('is sorted by %s across pages', async (sort, bodies) => {
    const ids = [];
    for (const body of bodies) ids.push((await makeProject(api, { name: 'x', ...body })).id);
    const pages = async (order: string) => {
      const found = [];
      for (let cursor = ''; ;) {
        const { body } = await api.get<{ data: { id: string }[]; page: { nextCursor: string | null } }>(
          `${PROJECTS}?sort=${order}&limit=1${cursor && `&cursor=${cursor}`}`,
        );
        found.push(...body.data.map(({ id }) => id));
        if (body.page.nextCursor === null) return found;
        cursor = body.page.nextCursor;
      }
    };
    expect(await pages(sort)).toEqual(ids);
    expect(await pages(`-${sort}`)).toEqual([...ids].reverse());
  });

  it('is sorted by health in order of severity', async () => {
    const ids = [];
    for (const health of ['on_track', 'at_risk', 'off_track']) {
      const { id } = await makeProject(api);
      await act(api, `${PROJECTS}/${id}`, 'set-health', { health, note: 'x' });
      ids.push(id);
    }
    expect(await idsOf(api, `${PROJECTS}?sort=health`)).toEqual(ids);
  });
});

async function makeAccount(): Promise<string> {
  const { body } = await api.post<{ id: string }>('/api/v1/sales/accounts', { name: 'Acme' });
  return body.id;
}
