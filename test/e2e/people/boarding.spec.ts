import type { INestApplicationContext } from '@nestjs/common';
import { DAY_MS } from '#libs/kernel/durations.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import type { Client } from '../../harness/client.js';
import type { TestTenant } from '../../harness/platform.js';
import { exhaust } from '../../worker/automation-stage.js';
import { Stage } from '../../worker/stage.js';
import { acted, dayFrom, EMPLOYEES, made, makeEmployee, outcome } from './people-calls.js';

/** Onboarding and offboarding: checklists, handover of work and the end of access. */
let stage: Stage;
let tenant: TestTenant;
let worker: INestApplicationContext;
beforeAll(async () => {
  stage = await Stage.open();
  worker = await stage.idleWorker();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterAll(() => stage.close());

interface Row {
  id: string;
  status: string;
  ownerId: string | null;
  version: number;
}
interface Item {
  key: string;
  assigneeId: string | null;
  dueDate: string | null;
}
interface Checklist extends Row {
  kind: string;
  templateId: string;
  startDate: string;
  items: Item[];
}

const CHECKLISTS = '/api/operations/checklists';
const TEMPLATES = '/api/settings/checklist-templates';
const DEALS = '/api/v1/sales/deals';
const TASKS = '/api/v1/work/tasks';
const MEMBERSHIPS = '/api/admin/memberships';

const inDays = (days: number) => dayFrom(stage.platform.clock.nowMs(), days);
const read = async (id: string) => (await tenant.api.get<Row>(`${EMPLOYEES}/${id}`)).body;
const set = (people: object) => tenant.api.patch('/api/admin/settings', { people });
const template = (appliesTo: string, checklistItems: object[]) =>
  made(tenant.api, TEMPLATES, { name: `Steps of ${appliesTo}`, appliesTo, checklistItems });
const checklistsOf = async (id: string, api: Client = tenant.api) =>
  (await api.get<{ data: Checklist[] }>(`${CHECKLISTS}?subject=people.employee:${id}`)).body.data;
const change = (checklist: Checklist, key: string, body: object) =>
  tenant.api.patch(`${CHECKLISTS}/${checklist.id}/items/${key}`, body);
/** Advances time by some days and runs all flows, timers and jobs that are due. */
async function pass(days = 0): Promise<void> {
  stage.platform.clock.advance(days * DAY_MS);
  await worker.get(EventRelay).pass();
  await exhaust(worker);
}
/** An employee with a membership. */
async function person(name: string, more: object = {}) {
  const { id: membershipId, api } = await stage.platform.member(tenant, name, ['*'], { roles: ['admin'] });
  return { id: (await makeEmployee(tenant.api, { name, membershipId, ...more })).id, membershipId, api };
}

describe('an onboarding', () => {
  const STEPS = [
    { key: 'account', title: 'Account', offsetDays: -1, assignee: { role: 'manager' } },
    { key: 'poster', title: 'Poster', offsetDays: -1, required: false },
    { key: 'lunch', title: 'Lunch', offsetDays: 0, assignee: { role: 'employee' } },
  ];

  it('starts the checklist of the request, or else of the settings', async () => {
    const boss = await person('Boss');
    const usual = await template('onboarding', STEPS);
    expect(await set({ onboardingTemplate: usual.id })).toMatchObject({ status: 200 });
    const ada = await person('Ada', { managerId: boss.id, startDate: '2099-06-08' });
    await acted(tenant.api, EMPLOYEES, ada.id, 'start-onboarding');
    const [started, ...others] = await checklistsOf(ada.id);
    expect(others).toEqual([]);
    expect(started).toMatchObject({ kind: 'onboarding', templateId: usual.id, startDate: '2099-06-08' });
    expect(started!.items).toMatchObject([
      { key: 'account', assigneeId: boss.membershipId, dueDate: '2099-06-05' },
      { key: 'poster', assigneeId: null, dueDate: '2099-06-05' },
      { key: 'lunch', assigneeId: ada.membershipId, dueDate: '2099-06-08' },
    ]);
    const special = await template('onboarding', STEPS.slice(2));
    const bob = await makeEmployee(tenant.api, { status: 'pending' });
    const patch = { status: 'onboarding', templateId: special.id };
    expect(await tenant.api.patch(`${EMPLOYEES}/${bob.id}`, patch)).toMatchObject({ status: 200 });
    expect(await checklistsOf(bob.id)).toMatchObject([{ templateId: special.id, startDate: inDays(0) }]);
  });

  it('refuses templates that are unknown, archived, in use or for something else', async () => {
    const { id } = await makeEmployee(tenant.api, { status: 'pending' });
    const [archived, project] = [await template('onboarding', STEPS), await template('project', STEPS)];
    await acted(tenant.api, TEMPLATES, archived.id, 'archive');
    for (const [templateId, code] of [
      [archived.id, 'unknown_reference'],
      [id, 'unknown_reference'],
      [project.id, 'invalid_value'],
    ] as const) {
      const answer = await tenant.api.post(`${EMPLOYEES}/${id}/start-onboarding`, { templateId });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/templateId', code }] } });
    }
    expect(await read(id)).toMatchObject({ status: 'pending', version: 1 });
    const refused = { status: 400, body: { errors: [{ code: 'unknown_reference' }] } };
    for (const each of [archived, project]) expect(await set({ onboardingTemplate: each.id })).toMatchObject(refused);
    const { id: used } = await template('offboarding', STEPS);
    await set({ offboardingTemplate: used });
    expect(outcome(await tenant.api.post(`${TEMPLATES}/${used}/archive`))).toEqual([409, 'in_use']);
  });

  it('keeps an employee from becoming active while required items due before the first day are open', async () => {
    await set({ onboardingTemplate: (await template('onboarding', STEPS)).id });
    const { id } = await makeEmployee(tenant.api, { startDate: inDays(3) });
    const { id: other } = await makeEmployee(tenant.api, { startDate: inDays(9) });
    for (const each of [id, other]) await acted(tenant.api, EMPLOYEES, each, 'start-onboarding');
    const refused = await tenant.api.post(`${EMPLOYEES}/${id}/activate`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'onboarding_open', openItems: ['account'] } });
    await pass(3);
    expect(await read(id)).toMatchObject({ status: 'onboarding' });
    expect(await change((await checklistsOf(id))[0]!, 'account', { status: 'done' })).toMatchObject({ status: 200 });
    await pass(1);
    expect(await read(id)).toMatchObject({ status: 'active' });
    await change((await checklistsOf(other))[0]!, 'account', { status: 'skipped', reason: 'Has one' });
    await acted(tenant.api, EMPLOYEES, other, 'activate');
  });

  it('after a rehire has a checklist of its own', async () => {
    await set({ onboardingTemplate: (await template('onboarding', STEPS)).id });
    const { id } = await makeEmployee(tenant.api, { status: 'pending' });
    await acted(tenant.api, EMPLOYEES, id, 'start-onboarding');
    await acted(tenant.api, EMPLOYEES, id, 'terminate', { type: 'other' });
    await acted(tenant.api, EMPLOYEES, id, 'rehire', { startDate: inDays(2) });
    await acted(tenant.api, EMPLOYEES, id, 'start-onboarding');
    const [, second] = await checklistsOf(id);
    await change(second!, 'account', { status: 'done' });
    await pass(2);
    expect(await read(id)).toMatchObject({ status: 'active' });
  });
});

describe('an offboarding', () => {
  const LEAVES = { terminationDate: '2099-06-08', type: 'voluntary' };

  it('starts a checklist that counts from the last day, which only those who may know it see', async () => {
    const steps = [{ key: 'laptop', title: 'Laptop returned', offsetDays: -2, assignee: { role: 'manager' } }];
    await set({ offboardingTemplate: (await template('offboarding', steps)).id });
    const manager = await stage.platform.member(tenant, 'Boss');
    const boss = await makeEmployee(tenant.api, { membershipId: manager.id });
    const ada = await stage.platform.member(tenant, 'Ada');
    const { id } = await makeEmployee(tenant.api, { membershipId: ada.id, managerId: boss.id });
    await acted(tenant.api, EMPLOYEES, id, 'start-offboarding', LEAVES);
    const [started] = await checklistsOf(id);
    expect(started).toMatchObject({
      kind: 'offboarding',
      startDate: '2099-06-08',
      items: [{ dueDate: '2099-06-04', assigneeId: manager.id }],
    });
    const scopes = ['employees:read', 'checklists:write'];
    const [assignee, self, stranger] = [
      await stage.platform.key(tenant, scopes, { memberId: manager.id }),
      await stage.platform.key(tenant, scopes, { memberId: ada.id }),
      (await stage.platform.member(tenant, 'Eve', scopes)).api,
    ];
    for (const api of [assignee, self]) expect(await checklistsOf(id, api)).toHaveLength(1);
    expect(await checklistsOf(id, stranger)).toEqual([]);
    const path = `${CHECKLISTS}/${started!.id}`;
    for (const answer of [await stranger.get(path), await stranger.patch(`${path}/items/laptop`, { status: 'done' })])
      expect(outcome(answer)).toEqual([404, 'not_found']);
    expect(await assignee.patch(`${path}/items/laptop`, { status: 'done' })).toMatchObject({ status: 200 });
    const told = await stage.sql<{ text: string }>(
      `select envelope::text as text from data.events where tenant_id = $1 and type like 'core.checklist.%'
       union all select a::text from data.audit_log a where tenant_id = $1 and a::text like '%core.checklist%'`,
      [tenant.id],
    );
    expect(told.length).toBeGreaterThan(3);
    for (const { text } of told) expect(text).not.toMatch(/2099-06-0/);
  });

  it('creates one task to hand over the work, which does not mention the last day', async () => {
    const boss = await person('Boss');
    const ada = await person('Ada', { managerId: boss.id });
    await acted(tenant.api, EMPLOYEES, ada.id, 'start-offboarding', LEAVES);
    await pass();
    await pass();
    const { body } = await tenant.api.get<{ data: object[] }>(`${TASKS}?assigneeId=${ada.membershipId}`);
    expect(body.data).toMatchObject([
      {
        name: 'Hand over the work of Ada',
        state: 'todo',
        ownerId: boss.membershipId,
        assigneeIds: [ada.membershipId, boss.membershipId],
        dueDate: null,
      },
    ]);
  });
});

describe('a termination', () => {
  it('moves open records and tasks to the nearest manager with an active membership, once', async () => {
    const top = await person('Top');
    const middle = await makeEmployee(tenant.api, { managerId: top.id });
    const ada = await person('Ada', { managerId: middle.id });
    const deals: string[] = [];
    for (let i = 0; i < 102; i++)
      deals.push((await made(tenant.api, DEALS, { name: `Deal ${i}`, ownerId: ada.membershipId })).id);
    const won = deals[0]!;
    await acted(tenant.api, DEALS, won, 'win');
    const task = async (name: string) =>
      (
        await made(tenant.api, TASKS, {
          name,
          assigneeIds: [ada.membershipId, top.membershipId],
          ownerId: top.membershipId,
        })
      ).id;
    const [open, done] = [await task('Open'), await task('Done')];
    await acted(tenant.api, TASKS, done, 'complete');
    await acted(tenant.api, EMPLOYEES, ada.id, 'terminate', { type: 'involuntary' });
    await pass();
    await pass();
    const owned = async (by: string) =>
      (await tenant.api.get<{ data: Row[] }>(`${DEALS}?ownerId=${by}&limit=200`)).body.data;
    expect(await owned(ada.membershipId)).toMatchObject([{ id: won }]);
    const moved = await owned(top.membershipId);
    expect(moved).toHaveLength(101);
    expect(new Set(moved.map(({ version }) => version))).toEqual(new Set([2]));
    expect((await tenant.api.get(`${TASKS}/${open}`)).body).toMatchObject({
      assigneeIds: [top.membershipId],
      version: 2,
    });
    expect((await tenant.api.get(`${TASKS}/${done}`)).body).toMatchObject({
      assigneeIds: [ada.membershipId, top.membershipId],
    });
    const { body } = await tenant.api.get<{ data: object[] }>('/api/operations/jobs?kind=people.employee.handover');
    expect(body.data).toMatchObject([
      { status: 'succeeded', result: { from: ada.membershipId, to: top.membershipId, moved: 102 } },
    ]);
  });

  it('leaves the work where it is if no manager has an active membership', async () => {
    const ada = await person('Ada');
    const { id } = await made(tenant.api, DEALS, { name: 'Deal', ownerId: ada.membershipId });
    await acted(tenant.api, EMPLOYEES, ada.id, 'terminate', { type: 'other' });
    await pass();
    expect((await tenant.api.get(`${DEALS}/${id}`)).body).toMatchObject({ ownerId: ada.membershipId, version: 1 });
  });

  it('of the last owner is refused, also on the day', async () => {
    const { id: membershipId } = await stage.platform.member(tenant, 'Owner', ['*'], { roles: ['owner'] });
    const { id } = await makeEmployee(tenant.api, { membershipId });
    for (const action of ['terminate', 'suspend'])
      expect(
        outcome(
          await tenant.api.post(`${EMPLOYEES}/${id}/${action}`, {
            ...(action === 'terminate' ? { type: 'other' } : { reason: 'x' }),
          }),
        ),
      ).toEqual([409, 'last_owner']);
    expect(await read(id)).toMatchObject({ status: 'active', version: 1 });
    const last = { terminationDate: inDays(1), type: 'voluntary' };
    await acted(tenant.api, EMPLOYEES, id, 'start-offboarding', last);
    await pass(2);
    expect(await read(id)).toMatchObject({ status: 'offboarding', accessRemovedAt: null });
  });

  it('can only be announced, hastened or attached by those who may act on the member', async () => {
    const owner = await stage.platform.member(tenant, 'Owner', ['*'], { roles: ['owner'] });
    const { api } = await stage.platform.member(tenant, 'Admin', ['*'], { roles: ['admin'] });
    const { id } = await makeEmployee(tenant.api, { membershipId: owner.id });
    const { id: leaverId } = await makeEmployee(tenant.api);
    const last = { terminationDate: inDays(5), type: 'voluntary' };
    const denied = [403, 'permission_denied'];
    expect(outcome(await api.post(`${EMPLOYEES}/${id}/start-offboarding`, last))).toEqual(denied);
    await acted(tenant.api, EMPLOYEES, id, 'start-offboarding', last);
    const sooner = { terminationDate: inDays(1) };
    expect(outcome(await api.post(`${EMPLOYEES}/${id}/change-last-day`, sooner))).toEqual(denied);
    expect((await tenant.api.patch(`${EMPLOYEES}/${id}`, { membershipId: null })).status).toBe(200);
    await acted(api, EMPLOYEES, leaverId, 'start-offboarding', last);
    expect(outcome(await api.patch(`${EMPLOYEES}/${leaverId}`, { membershipId: owner.id }))).toEqual(denied);
  });

  it('ends the membership until the employee is rehired', async () => {
    const ada = await person('Ada');
    await acted(tenant.api, EMPLOYEES, ada.id, 'terminate', { type: 'other' });
    const reactivate = () => tenant.api.patch(`${MEMBERSHIPS}/${ada.membershipId}`, { status: 'active' });
    expect(outcome(await reactivate())).toEqual([409, 'employee_terminated']);
    await acted(tenant.api, EMPLOYEES, ada.id, 'rehire', { startDate: inDays(2) });
    expect(await reactivate()).toMatchObject({ status: 200, body: { status: 'active' } });
  });

  it('revokes the open invitation of the employee', async () => {
    const { id: employeeId } = await makeEmployee(tenant.api, { status: 'pending' });
    const invited = await tenant.api.post<{ data: { invitation: Row }[] }>('/api/admin/invitations', {
      email: 'ada@acme.test',
      employeeId,
    });
    await acted(tenant.api, EMPLOYEES, employeeId, 'terminate', { type: 'other' });
    const { body } = await tenant.api.get<{ data: Row[] }>('/api/admin/invitations?status=revoked');
    expect({ invited: invited.status, revoked: body.data }).toMatchObject({ revoked: [{ employeeId }] });
  });
});
