import type { ShownTask } from '#src/areas/work/tasks/task.js';
import type { ShownMilestone } from '#src/areas/work/milestones/milestone.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  act,
  makeProject,
  makeTemplate,
  MILESTONES,
  PROJECTS,
  read,
  readProject,
  TASKS,
  TEMPLATES,
} from './work-calls.js';

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

const ROLLOUT = {
  name: 'Rollout',
  phases: ['Start', 'Build'],
  milestones: [
    { key: 'live', name: 'Go-live', offsetDays: 60, phase: 'Build', billableMinor: 400_000, acceptanceRequired: true },
  ],
  tasks: [
    { key: 'build', name: 'Build it', offsetDays: 50, durationDays: 20, milestone: 'live', blockedBy: ['kickoff'] },
    { key: 'kickoff', name: 'Kick-off', offsetDays: 3, phase: 'Start', role: 'lead', checklist: ['Invite'] },
    { key: 'test', name: 'Test it', offsetDays: 49, parent: 'build', estimateMinutes: 120, priority: 'high' },
  ],
  billing: { model: 'fixed', budgetMinor: 900_000, invoiceOn: 'milestone' },
};

async function published(body: object = ROLLOUT): Promise<string> {
  const { id } = await makeTemplate(api, body);
  await act(api, `${TEMPLATES}/${id}`, 'publish');
  return id;
}

describe('a project from a template', () => {
  it('starts with its milestones and tasks, with dates in business days from its first day', async () => {
    const templateId = await published();
    const ada = await platform.member(tenant, 'Ada');
    const project = await makeProject(api, {
      templateId,
      startDate: '2027-01-01',
      roles: [{ role: 'lead', memberId: ada.id }],
      billing: { invoiceOn: 'manual' },
    });
    expect(project).toMatchObject({
      templateId,
      memberIds: [ada.id],
      budget: 9000,
      billing: { model: 'fixed', budgetMinor: 900_000, invoiceOn: 'manual' },
      taskCounts: { backlog: 3 },
    });
    const tasks = await read<{ data: ShownTask[] }>(api, `${TASKS}?projectId=${project.id}&sort=position`);
    const milestones = await read<{ data: ShownMilestone[] }>(api, `${MILESTONES}?projectId=${project.id}`);
    expect(milestones.data).toMatchObject([
      {
        name: 'Go-live',
        dueDate: '2027-03-26',
        billableMinor: 400_000,
        acceptance: { required: true },
        tags: ['Build'],
      },
    ]);
    const [build, kickoff] = tasks.data;
    expect(tasks.data).toMatchObject([
      {
        reference: 'ACME-1',
        name: 'Build it',
        startDate: '2027-02-12',
        dueDate: '2027-03-12',
        milestoneId: milestones.data[0]!.id,
        blockedByIds: [kickoff!.id],
      },
      {
        reference: 'ACME-2',
        dueDate: '2027-01-06',
        assigneeIds: [ada.id],
        checklist: [{ title: 'Invite', done: false }],
        tags: ['Start'],
      },
      { reference: 'ACME-3', parentId: build!.id, estimateMinutes: 120, priority: 'high' },
    ]);
    const { body } = await api.post<ShownTask>(TASKS, { name: 'next', projectId: project.id });
    expect(body.reference).toBe('ACME-4');
  });

  it('is in another currency only without amounts of the template', async () => {
    const inYen = (templateId: string, billing: object = {}) =>
      api.post(PROJECTS, { name: 'Acme', templateId, billing: { currency: 'JPY', ...billing } });
    const refused = (pointer: string, code: string) => ({ status: 400, body: { errors: [{ pointer, code }] } });
    const whole = await published();
    expect(await inYen(whole, { budgetMinor: 1 })).toMatchObject(refused('/billing/currency', 'currency_mismatch'));
    expect(await inYen(await published({ ...ROLLOUT, milestones: [], tasks: [] }))).toMatchObject(
      refused('/billing/budgetMinor', 'required'),
    );
    const plain = await published({ name: 'Plain', billing: { hourlyRateMinor: 100 } });
    expect(await inYen(plain, { hourlyRateMinor: null })).toMatchObject({ status: 201 });
  });

  it('starts with the checklist of the template, in business days of the tenant’s calendar', async () => {
    const holidays = [{ date: '2027-01-04', name: 'Holiday' }];
    const calendar = await api.post<{ id: string }>('/api/settings/calendars', { name: 'Office', holidays });
    await api.patch('/api/admin/settings', { general: { calendar: calendar.body.id } });
    const checklist = await api.post<{ id: string }>('/api/settings/checklist-templates', {
      name: 'Handover',
      appliesTo: 'project',
      checklistItems: [{ key: 'kickoff', title: 'Plan the kick-off', assignee: { role: 'owner' }, offsetDays: 2 }],
    });
    const templateId = await published({ ...ROLLOUT, checklistTemplateId: checklist.body.id });
    const ada = await platform.member(tenant, 'Ada');
    const project = await makeProject(api, { templateId, startDate: '2027-01-01', ownerId: ada.id });
    const subject = `work.project:${project.id}`;
    const { data } = await read<{ data: object[] }>(api, `/api/operations/checklists?subject=${subject}`);
    expect(data).toMatchObject([
      { title: 'Handover', startDate: '2027-01-01', items: [{ assigneeId: ada.id, dueDate: '2027-01-06' }] },
    ]);
    const tasks = await read<{ data: ShownTask[] }>(api, `${TASKS}?projectId=${project.id}&name=Kick-off`);
    expect(tasks.data).toMatchObject([{ dueDate: '2027-01-07' }]);
  });

  it('is created atomically', async () => {
    const templateId = await published();
    await asAdmin(
      platform.database,
      `create function public.no_third() returns trigger language plpgsql as
      $$ begin if new.name = 'Test it' then raise exception 'broken on purpose'; end if; return new; end $$`,
    );
    await asAdmin(
      platform.database,
      `create trigger no_third before insert on data.work_tasks for each row
      execute function public.no_third()`,
    );
    try {
      expect(await api.post(PROJECTS, { name: 'Half', templateId })).toMatchObject({ status: 500 });
    } finally {
      await asAdmin(platform.database, 'drop function public.no_third() cascade');
    }
    for (const table of ['work_projects', 'work_tasks', 'work_milestones'])
      expect(await asAdmin(platform.database, `select 1 from data.${table} where tenant_id = $1`, [tenant.id])).toEqual(
        [],
      );
    expect((await readProject(api, (await makeProject(api, { templateId })).id)).taskCounts).toMatchObject({
      backlog: 3,
    });
  });

  it('requires a published template', async () => {
    const refused = { status: 400, body: { errors: [{ pointer: '/templateId', code: 'unknown_reference' }] } };
    const { id } = await makeTemplate(api);
    expect(await api.post(PROJECTS, { name: 'x', templateId: id })).toMatchObject(refused);
    const archived = await published();
    await act(api, `${TEMPLATES}/${archived}`, 'retire');
    expect(await api.post(PROJECTS, { name: 'x', templateId: archived })).toMatchObject(refused);
    expect(await api.patch(`${TEMPLATES}/${archived}`, { name: 'x' })).toMatchObject({ status: 409 });
    expect(await api.post(PROJECTS, { name: 'x', roles: [{ role: 'lead', memberId: id }] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/roles', code: 'unknown_reference' }] },
    });
  });
});

describe('a template', () => {
  const task = (key: string, more: object = {}) => ({ key, name: key, offsetDays: 1, ...more });

  it.each([
    ['a duplicate key', [task('a'), task('a')], '/tasks/1/key', 'not_unique'],
    ['an unknown parent', [task('a', { parent: 'b' })], '/tasks/0/parent', 'unknown_key'],
    ['an unknown blocker', [task('a', { blockedBy: ['b'] })], '/tasks/0/blockedBy', 'unknown_key'],
    ['an unknown milestone', [task('a', { milestone: 'b' })], '/tasks/0/milestone', 'unknown_key'],
    ['an unknown phase', [task('a', { phase: 'b' })], '/tasks/0/phase', 'unknown_key'],
    ['a cycle', [task('a', { blockedBy: ['b'] }), task('b', { parent: 'a' })], '/tasks/0', 'cycle'],
    [
      'a task that waits for its parent',
      [task('a'), task('b', { parent: 'a', blockedBy: ['a'] })],
      '/tasks/1',
      'cycle',
    ],
    [
      'a task that waits for its grandparent through another',
      [
        task('a'),
        task('b', { parent: 'a' }),
        task('n', { blockedBy: ['a'] }),
        task('c', { parent: 'b', blockedBy: ['n'] }),
      ],
      '/tasks/3',
      'cycle',
    ],
    [
      'four levels',
      [task('a'), task('b', { parent: 'a' }), task('c', { parent: 'b' }), task('d', { parent: 'c' })],
      '/tasks/3',
      'too_deep',
    ],
  ])('is rejected with %s', async (_what, tasks, pointer, code) => {
    const refused = { status: 400, body: { errors: [{ pointer, code }] } };
    expect(await api.post(TEMPLATES, { name: 'x', tasks })).toMatchObject(refused);
    const { id } = await makeTemplate(api);
    expect(await api.patch(`${TEMPLATES}/${id}`, { tasks })).toMatchObject(refused);
  });

  it('returns its content', async () => {
    expect(await makeTemplate(api, ROLLOUT)).toMatchObject({ ...ROLLOUT, status: 'draft' });
  });
});
