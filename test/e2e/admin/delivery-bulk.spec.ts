import pg from 'pg';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  act,
  makeMilestone,
  makeProject,
  makeTask,
  MILESTONES,
  PROJECTS,
  read,
  readProject,
  readTask,
  TASKS,
} from '../work/work-calls.js';
import { eventsOf } from '../../harness/written.js';
import { billable, bulk, BULK, copyProject, itemOf, list, started } from './delivery-calls.js';

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

/** Acts on one project; returns its result. */
async function one(id: string, action: string, params: object = {}) {
  const { results } = await bulk(api, { projectIds: [id], action, params });
  return results[0]!;
}
const auditOf = async (query: string) =>
  (await read<{ data: { action: string; reason: string; changes: object }[] }>(api, `/api/admin/audit-logs?${query}`))
    .data;

describe('the control state of a project', () => {
  it('changes along its transitions', async () => {
    const { id } = await started(api);
    const steps: [action: string, params: object, outcome: string][] = [
      ['set_control_state', { controlState: 'watch' }, 'watch'],
      ['resume', {}, 'invalid_transition'],
      ['hold', {}, 'hold'],
      ['set_control_state', { controlState: 'watch' }, 'invalid_transition'],
      ['resume', {}, 'normal'],
      ['set_control_state', { controlState: 'hold' }, 'hold'],
      ['escalate', { severity: 'critical' }, 'escalated'],
      ['resume', {}, 'invalid_transition'],
      ['hold', {}, 'hold'],
      ['set_control_state', { controlState: 'escalated', severity: 'low' }, 'escalated'],
      ['set_control_state', { controlState: 'normal' }, 'hold'],
      ['resume', {}, 'normal'],
    ];
    for (const [action, params, outcome] of steps) {
      const { ok, error, after } = await one(id, action, params);
      expect({ action, params, outcome: error?.code ?? after!.controlState }).toEqual({ action, params, outcome });
      const item = await itemOf(api, id);
      if (ok) expect(item).toMatchObject({ controlState: after!.controlState, severity: after!.severity });
      expect((await list(api, `?controlState=${item.controlState}`)).data).toHaveLength(1);
    }
    expect(await readProject(api, id)).toMatchObject({ status: 'active' });
  });

  it('is hold while the project is on hold', async () => {
    const { id } = await started(api);
    await one(id, 'set_control_state', { controlState: 'watch' });
    await act(api, `${PROJECTS}/${id}`, 'hold', { reason: 'x' });
    expect(await itemOf(api, id)).toMatchObject({ controlState: 'hold', reasons: ['on_hold'] });
    await act(api, `${PROJECTS}/${id}`, 'resume');
    expect(await itemOf(api, id)).toMatchObject({ controlState: 'watch' });
  });

  it('becomes hold only for active projects; planned ones are reported, and stay as they are', async () => {
    const [active, planned] = [await started(api), await billable(api)];
    const projectIds = [planned.id, active.id];
    for (const [action, params] of [['hold'], ['set_control_state', { controlState: 'hold' }]] as const) {
      const { summary, results } = await bulk(api, { projectIds, action, params });
      expect(summary).toEqual({ matched: 2, changed: action === 'hold' ? 1 : 0, failed: 1 });
      expect(results).toMatchObject([
        { ok: false, error: { code: 'invalid_transition' }, before: { status: 'planned' }, after: null },
        { ok: true, after: { status: 'on_hold', controlState: 'hold' } },
      ]);
    }
    expect(await itemOf(api, planned.id)).toMatchObject({ controlState: 'normal' });
    expect(await readProject(api, planned.id)).toMatchObject({ status: 'planned', version: planned.version });
  });

  it('emits an event when it becomes escalated', async () => {
    const { id } = await started(api);
    await one(id, 'escalate', { severity: 'high' });
    await one(id, 'request_update');
    const events = await eventsOf(platform, tenant, id);
    expect(events.filter(({ type }) => /escalated|requested/.test(type))).toMatchObject([
      { type: 'work.project.escalated', changes: { severity: { from: null, to: 'high' } } },
      { type: 'work.project.update_requested' },
    ]);
    expect(await itemOf(api, id)).toMatchObject({ reasons: ['escalated', 'update_requested'] });
    platform.clock.advance(1_000);
    await one(id, 'set_health', { health: 'on_track' });
    expect(await itemOf(api, id)).toMatchObject({ reasons: ['escalated'] });
  });
});

describe('gates, health and owner', () => {
  it('approves and rejects gates', async () => {
    const { id } = await started(api);
    const approved = await one(id, 'approve_gate', { gate: 'kickoff' });
    expect(approved.before!.gates[0]).toEqual({ gate: 'kickoff', status: 'pending', by: null, at: null });
    expect(approved.after!.gates[0]).toMatchObject({ status: 'approved', by: { type: 'api_key' } });
    const again = await bulk(api, { projectIds: [id], action: 'approve_gate', params: { gate: 'kickoff' } });
    expect(again.summary).toEqual({ matched: 1, changed: 0, failed: 0 });
    await one(id, 'reject_gate', { gate: 'kickoff' });
    await one(id, 'approve_gate', { gate: 'closure' });
    const { gates, reasons } = await itemOf(api, id);
    expect(gates.map(({ status }) => status)).toEqual(['rejected', 'pending', 'pending', 'pending', 'approved']);
    expect(reasons).toEqual(['gate_rejected']);
  });

  it('reassigns to whom a record can be given: suspended members, but not deactivated ones', async () => {
    const { id } = await started(api);
    const { id: ownerId } = await platform.member(tenant, 'Ada', ['*'], { roles: ['member'] });
    const outcomes: unknown[] = [];
    for (const status of ['suspended', 'deactivated']) {
      expect(await api.patch(`/api/admin/memberships/${ownerId}`, { status })).toMatchObject({ status: 200 });
      const command = { projectIds: [id], action: 'reassign_owner', params: { ownerId }, reason: 'x' };
      const [bulked, patched] = [await api.post(BULK, command), await api.patch(`${PROJECTS}/${id}`, { ownerId })];
      outcomes.push([bulked.status, patched.status]);
      if (bulked.status !== 200)
        expect(bulked.body).toMatchObject({ errors: [{ pointer: '/params/ownerId', code: 'unknown_reference' }] });
      await api.patch(`${PROJECTS}/${id}`, { ownerId: null });
    }
    expect(outcomes).toEqual([
      [200, 200],
      [400, 400],
    ]);
  });

  it('changes projects through their own service, with an audit entry for the request and each project', async () => {
    const ada = await platform.member(tenant, 'Ada');
    const [a, b] = [await started(api), await started(api, { ownerId: ada.id })];
    const { summary, results } = await bulk(api, {
      projectIds: [a.id, b.id],
      action: 'reassign_owner',
      params: { ownerId: ada.id },
    });
    expect(summary).toEqual({ matched: 2, changed: 1, failed: 0 });
    expect(results[0]).toMatchObject({ before: { ownerId: a.ownerId }, after: { ownerId: ada.id } });
    expect(await readProject(api, a.id)).toMatchObject({ ownerId: ada.id, version: a.version + 1 });
    expect((await auditOf('action=delivery.bulk_applied')).length).toBe(1);
    const [entry, ...others] = await auditOf(`action=delivery.project_changed`);
    expect(entry).toMatchObject({ reason: 'Weekly review', changes: { ownerId: { to: ada.id } } });
    expect(others).toEqual([]);
    expect((await auditOf(`targetId=${a.id}&action=work.project.updated`)).length).toBe(1);
    await one(a.id, 'set_health', { health: 'off_track' });
    expect(await readProject(api, a.id)).toMatchObject({ health: 'off_track', healthNote: 'Weekly review' });
  });
});

describe('a shift of dates', () => {
  it('moves open tasks, open milestones and the target date by business days', async () => {
    const { id: projectId } = await started(api, { startDate: day(-7), targetDate: day(4) }); // a Friday
    const [open, done] = [
      await makeTask(api, { projectId, startDate: day(0), dueDate: day(3) }),
      await makeTask(api, { projectId, dueDate: day(3) }),
    ];
    await act(api, `${TASKS}/${done.id}`, 'complete');
    const [due, reached] = [
      await makeMilestone(api, { projectId, dueDate: day(4) }),
      await makeMilestone(api, { projectId, dueDate: day(4) }),
    ];
    await act(api, `${MILESTONES}/${reached.id}`, 'reach');
    const holidays = [{ date: day(7), name: 'Holiday' }];
    const calendar = await api.post<{ id: string }>('/api/settings/calendars', { name: 'Ours', holidays });
    await api.patch('/api/admin/settings', { general: { calendar: calendar.body.id } });
    expect(await one(projectId, 'shift_dates', { days: 1 })).toMatchObject({
      ok: true,
      before: { targetDate: day(4) },
      after: { targetDate: day(8) },
      shifted: { tasks: 1, milestones: 1 },
    });
    expect(await readTask(api, open.id)).toMatchObject({ startDate: day(1), dueDate: day(4) });
    expect(await readTask(api, done.id)).toMatchObject({ dueDate: day(3) });
    expect(await read(api, `${MILESTONES}/${due.id}`)).toMatchObject({ dueDate: day(8) });
    expect(await read(api, `${MILESTONES}/${reached.id}`)).toMatchObject({ dueDate: day(4) });
    expect(await one(projectId, 'shift_dates', { days: -1 })).toMatchObject({ after: { targetDate: day(4) } });
    expect(await readTask(api, open.id)).toMatchObject({ startDate: day(0), dueDate: day(3) });
  });

  it('is refused if a date would be in the past, and then changes nothing', async () => {
    const { id: projectId } = await started(api, { startDate: day(-7), targetDate: day(11) });
    const task = await makeTask(api, { projectId, startDate: day(-3), dueDate: day(2) });
    const far = await makeTask(api, { projectId, startDate: day(-3), dueDate: day(9) });
    expect(await one(projectId, 'shift_dates', { days: -3 })).toMatchObject({
      ok: false,
      error: { code: 'shift_into_past' },
      after: null,
      shifted: null,
    });
    expect(await readProject(api, projectId)).toMatchObject({ targetDate: day(11) });
    expect(await readTask(api, far.id)).toMatchObject({ dueDate: day(9) });
    await one(projectId, 'shift_dates', { days: -2 });
    expect(await readTask(api, task.id)).toMatchObject({ startDate: day(-3), dueDate: day(0) });
    const planned = await billable(api, { startDate: day(9), targetDate: day(10) });
    expect(await one(planned.id, 'shift_dates', { days: -5 })).toMatchObject({ error: { code: 'validation_failed' } });
    expect(await one(planned.id, 'shift_dates', { days: 1 })).toMatchObject({ after: { targetDate: day(11) } });
  });
});

describe('a request for many projects', () => {
  it('refuses only the projects that it must, unless it is atomic', async () => {
    const [active, planned] = [await started(api), await billable(api)];
    const command = { projectIds: [active.id, planned.id], action: 'hold' };
    expect(await bulk(api, { ...command, atomic: true })).toMatchObject({
      summary: { matched: 2, changed: 0, failed: 2 },
      results: [
        { ok: false, error: { code: 'not_applied' }, after: null },
        { ok: false, error: { code: 'invalid_transition' }, after: null },
      ],
    });
    expect(await readProject(api, active.id)).toMatchObject({ status: 'active', version: active.version });
    expect(await auditOf('action=delivery.project_changed')).toEqual([]);
    expect(await bulk(api, command)).toMatchObject({ summary: { matched: 2, changed: 1, failed: 1 } });
    expect(await readProject(api, active.id)).toMatchObject({ status: 'on_hold' });
  });

  it('changes nothing in a dry run', async () => {
    const { id, version } = await started(api);
    const command = { projectIds: [id], action: 'escalate', params: { severity: 'high' }, dryRun: true };
    expect(await bulk(api, command)).toMatchObject({
      summary: { matched: 1, changed: 1, failed: 0 },
      results: [{ ok: true, before: { controlState: 'normal' }, after: { controlState: 'escalated' } }],
    });
    expect(await bulk(api, { ...command, action: 'hold', params: {} })).toMatchObject({ summary: { changed: 1 } });
    expect(await itemOf(api, id)).toMatchObject({ controlState: 'normal' });
    expect(await readProject(api, id)).toMatchObject({ version });
    expect(await auditOf('action=delivery.bulk_applied')).toEqual([]);
  });

  it('selects projects by a filter', async () => {
    const ada = await platform.member(tenant, 'Ada');
    const wanted = await started(api, { ownerId: ada.id });
    await started(api);
    const { results } = await bulk(api, { filter: { ownerId: ada.id }, action: 'request_update' });
    expect(results.map(({ projectId }) => projectId)).toEqual([wanted.id]);
  });

  it('does not find projects that are not under delivery control', async () => {
    const [internal, archived, deleted] = [await makeProject(api), await billable(api), await billable(api)];
    await act(api, `${PROJECTS}/${archived.id}`, 'archive');
    await api.delete(`${PROJECTS}/${deleted.id}`);
    const { results } = await bulk(api, {
      projectIds: [internal.id, archived.id, deleted.id],
      action: 'request_update',
    });
    expect(results.map(({ error }) => error?.code)).toEqual(['not_found', 'not_found', 'not_found']);
  });

  it('refuses a filter that matches more than 200 projects', async () => {
    const { id } = await billable(api);
    const client = new pg.Client({ connectionString: platform.database.adminUrl });
    await client.connect();
    await copyProject(client, id, 200);
    await client.end();
    const command = { filter: { stale: false }, action: 'request_update', reason: 'x' };
    expect(await api.post(BULK, command)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/filter', code: 'too_many' }] },
    });
  });

  it('refuses wrong input', async () => {
    const { id } = await started(api);
    const good = { projectIds: [id], action: 'escalate', params: { severity: 'high' }, reason: 'x' };
    const wrong: [change: object, pointer: string, code: string][] = [
      [{ reason: undefined }, '/reason', 'required'],
      [{ params: {} }, '/params/severity', 'required'],
      [{ params: { severity: 'high', days: 1 } }, '/params/days', 'not_with_action'],
      [{ action: 'shift_dates', params: { days: 0 } }, '/params/days', 'out_of_range'],
      [{ action: 'set_control_state', params: { controlState: 'escalated' } }, '/params/severity', 'required'],
      [{ action: 'reassign_owner', params: { ownerId: id } }, '/params/ownerId', 'unknown_reference'],
      [{ filter: { health: 'unknown' } }, '/filter', 'ambiguous'],
      [{ projectIds: undefined }, '/projectIds', 'required'],
      [{ projectIds: undefined, filter: {} }, '/projectIds', 'required'],
      [{ projectIds: [] }, '/projectIds', 'too_few'],
      [{ action: 'archive' }, '/action', 'invalid_value'],
    ];
    for (const [change, pointer, code] of wrong) {
      const answer = await api.post<{ errors: object[] }>(BULK, { ...good, ...change });
      expect({ change, status: answer.status, errors: answer.body.errors }).toMatchObject({
        status: 400,
        errors: [{ pointer, code }],
      });
    }
  });
});
