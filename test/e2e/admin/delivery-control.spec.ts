import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { makeAccount } from '../sales/sales-calls.js';
import { act, makeMilestone, makeProject, makeTask, makeTime, PROJECTS, TASKS } from '../work/work-calls.js';
import { billable, bulk, CONTROL, itemOf, list, started } from './delivery-calls.js';
import { makeRole, makeWorkspace } from './people-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;

const day = (offset: number) => new Date(platform.clock.nowMs() + offset * DAY_MS).toISOString().slice(0, 10);

beforeAll(async () => {
  platform = await startPlatform();
  const weekday = new Date(platform.clock.nowMs()).getUTCDay();
  platform.clock.advance(((8 - weekday) % 7) * DAY_MS); // to a Monday
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ api } = tenant);
});
afterAll(() => platform.close());

const setHealth = (id: string, health: string) => act(api, `${PROJECTS}/${id}`, 'set-health', { health, note: 'x' });
const namesOf = async (query: string) => (await list(api, query)).data.map(({ project }) => project.name);

describe('the list of projects under delivery control', () => {
  it('contains open projects that have an account or are billable', async () => {
    const accountId = (await makeAccount(api, { name: 'Acme' })).id;
    await makeProject(api, { name: 'For Acme', accountId });
    await billable(api, { name: 'Billable' });
    await makeProject(api, { name: 'Internal' });
    const done = await started(api, { name: 'Done' });
    await act(api, `${PROJECTS}/${done.id}`, 'complete');
    await act(api, `${PROJECTS}/${(await billable(api, { name: 'Archived' })).id}`, 'archive');
    await api.delete(`${PROJECTS}/${(await billable(api, { name: 'Trash' })).id}`);
    const { data: shown } = await list(api, '?sort=name');
    expect(shown.map(({ project }) => project.name)).toEqual(['Billable', 'For Acme']);
    expect(shown[1]).toMatchObject({ account: { id: accountId, name: 'Acme' }, controlState: 'normal', reasons: [] });
    expect(shown[0]!.gates.map(({ gate, status }) => `${gate} ${status}`)).toEqual([
      'kickoff pending',
      'scope_signed pending',
      'milestone_acceptance pending',
      'go_live pending',
      'closure pending',
    ]);
  });

  it('computes the figures and reasons from tasks, milestones and time entries', async () => {
    const ada = await platform.member(tenant, 'Ada');
    const { id: projectId } = await started(api, {
      ownerId: ada.id,
      startDate: day(-30),
      targetDate: day(-4), // a Thursday
      billing: { model: 'fixed', budgetMinutes: 100 },
    });
    const late = await makeTask(api, { projectId, dueDate: day(-1) });
    await makeTask(api, { projectId, blockedByIds: [late.id], dueDate: day(0) });
    const done = await makeTask(api, { projectId, dueDate: day(-2) });
    await act(api, `${TASKS}/${done.id}`, 'complete');
    await makeMilestone(api, { projectId, name: 'Second', dueDate: day(2) });
    const first = await makeMilestone(api, { projectId, name: 'First', dueDate: day(1) });
    await makeTime(ada.api, { projectId, minutes: 90 });
    expect(await itemOf(api, projectId)).toMatchObject({
      owner: { id: ada.id, name: 'Ada' },
      health: 'unknown',
      healthComputed: 'off_track',
      progressPercent: 33.333,
      slippageDays: 4,
      slippageBusinessDays: 2, // Friday and Monday
      budgetUsedPercent: 90,
      overdueTasks: 1,
      openBlockers: 1,
      nextMilestone: { id: first.id, name: 'First', dueDate: day(1) },
      lastUpdateAt: null,
      reasons: ['past_target_date', 'ends_after_target_date', 'budget_nearly_spent', 'tasks_overdue', 'tasks_blocked'],
    });
  });

  it('counts slippage in business days of the calendar of the tenant', async () => {
    const { id } = await started(api, { startDate: day(-30), targetDate: day(-7) });
    const slippage = async () => {
      const { slippageDays, slippageBusinessDays } = await itemOf(api, id);
      const project = (await api.get<object>(`${PROJECTS}/${id}`)).body;
      expect(project).toMatchObject({ slippageDays, slippageBusinessDays });
      return [slippageDays, slippageBusinessDays];
    };
    expect(await slippage()).toEqual([7, 5]);
    const calendar = await api.post<{ id: string }>('/api/settings/calendars', {
      name: 'Holidays',
      holidays: [{ date: day(-3), name: 'Holiday' }],
    });
    const set = await api.patch('/api/admin/settings', { general: { calendar: calendar.body.id } });
    expect(set).toMatchObject({ status: 200 });
    expect(await slippage()).toEqual([7, 4]);
    expect((await list(api)).summary.lateCount).toBe(1);
    await act(api, `${PROJECTS}/${id}`, 'complete');
    expect((await api.get<object>(`${PROJECTS}/${id}`)).body).toMatchObject({
      slippageDays: 7,
      slippageBusinessDays: 4,
      isOverdue: false,
    });
    expect((await list(api)).summary.lateCount).toBe(0);
  });

  it('adds up the value at risk per currency', async () => {
    const deal = async (value: number, currency: string) =>
      (await api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Deal', value, currency })).body.id;
    const budget = (budgetMinor: number, currency: string) => ({ billing: { model: 'fixed', budgetMinor, currency } });
    const atRisk = await billable(api, budget(1_000, 'EUR'));
    await setHealth(atRisk.id, 'at_risk');
    const held = await started(api, budget(200, 'EUR'));
    await act(api, `${PROJECTS}/${held.id}`, 'hold', { reason: 'x' });
    await billable(api, { ...budget(40, 'USD'), targetDate: day(-1) });
    const escalated = await billable(api, { dealId: await deal(5, 'USD') });
    await bulk(api, { projectIds: [escalated.id], action: 'escalate', params: { severity: 'high' } });
    await billable(api, { ...budget(7_000, 'EUR'), targetDate: day(90) });
    expect((await list(api)).summary).toEqual({
      byHealth: { unknown: 4, on_track: 0, at_risk: 1, off_track: 0 },
      byControlState: { normal: 3, watch: 0, hold: 1, escalated: 1 },
      lateCount: 1,
      valueAtRisk: [
        { currency: 'EUR', minor: 1_200 },
        { currency: 'USD', minor: 540 },
      ],
    });
    const reader = await platform.key(tenant, ['delivery:read']);
    expect((await list(reader)).summary.valueAtRisk).toContainEqual({ currency: 'USD', minor: 40 });
  });

  it('supports every filter, and pages', async () => {
    const ada = await platform.member(tenant, 'Ada');
    const workspaceId = await makeWorkspace(api, 'North');
    const accountId = (await makeAccount(api)).id;
    const wanted = await started(api, {
      name: 'Wanted',
      ownerId: ada.id,
      workspaceId,
      accountId,
      targetDate: day(5),
    });
    await started(api, { name: 'Other', targetDate: day(9) });
    await started(api, { name: 'Third', targetDate: day(8) });
    await bulk(api, { projectIds: [wanted.id], action: 'set_control_state', params: { controlState: 'watch' } });
    platform.clock.advance(15 * DAY_MS);
    const rest = (await list(api)).data.map(({ project }) => project.id).filter((id) => id !== wanted.id);
    await bulk(api, { projectIds: rest, action: 'set_health', params: { health: 'on_track' } });
    for (const query of [
      'controlState=watch',
      'health=unknown',
      `ownerId=${ada.id}`,
      `workspaceId=${workspaceId}`,
      `accountId=${accountId}`,
      `dueBefore=${day(-9)}`,
      'stale=true',
    ])
      expect({ query, names: await namesOf(`?${query}`) }).toEqual({ query, names: ['Wanted'] });
    expect(await namesOf('?stale=false')).toEqual(['Third', 'Other']);
    const first = await list(api, '?limit=2');
    expect(first.data.map(({ project }) => project.name)).toEqual(['Wanted', 'Third']);
    expect(await namesOf(`?limit=2&cursor=${first.page.nextCursor!}`)).toEqual(['Other']);
    expect(first.data[0]!.reasons).toContain('stale');
    expect(await api.get(`${CONTROL}?cursor=AAAA`)).toMatchObject({ status: 400, body: { code: 'cursor_invalid' } });
    expect(await api.get(`${CONTROL}?sort=owner`)).toMatchObject({ status: 400 });
  });
});

describe('delivery control of a limited caller', () => {
  it('ends at their workspaces and at private projects', async () => {
    const north = await makeWorkspace(api, 'North');
    const here = await started(api, { name: 'Here', workspaceId: north });
    const there = await started(api, { name: 'There' });
    const secret = await started(api, { name: 'Secret', workspaceId: north, visibility: 'private' });
    const role = await makeRole(tenant, 'Deliverer', [
      'projects:read',
      'delivery:read@workspace',
      'delivery:manage@workspace',
    ]);
    const place = { roles: [role], workspaces: { [north]: 'member' as const } };
    const ada = await platform.member(tenant, 'Ada', ['*'], place);
    const { data, summary } = await list(ada.api);
    expect(data.map(({ project }) => project.name)).toEqual(['Here']);
    expect(summary.byHealth).toMatchObject({ unknown: 1 });
    const command = { action: 'escalate', params: { severity: 'low' }, reason: 'Late' };
    const { results } = await bulk(ada.api, { ...command, projectIds: [here.id, there.id, secret.id, uuidv7()] });
    expect(results.map(({ ok, error, before }) => [ok, error?.code ?? null, before !== null])).toEqual([
      [true, null, true],
      [false, 'not_found', false],
      [false, 'not_found', false],
      [false, 'not_found', false],
    ]);
    expect(await itemOf(api, there.id)).toMatchObject({ controlState: 'normal' });
    const reader = await platform.key(tenant, ['delivery:read']);
    expect(await reader.post(`${CONTROL}/bulk`, { ...command, projectIds: [here.id] })).toMatchObject({ status: 403 });
    expect((await list(reader)).data).toHaveLength(2);
  });
});
