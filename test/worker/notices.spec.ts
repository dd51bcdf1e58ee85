import type { INestApplicationContext } from '@nestjs/common';
import { DAY_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { DueUpkeep } from '#src/areas/home/notifications/due-upkeep.js';
import { billable, bulk } from '../e2e/admin/delivery-calls.js';
import { changed, handoff, make, template } from '../e2e/admin/handoff-calls.js';
import { acted, EMPLOYEES, made, makeEmployee, TIME_OFF } from '../e2e/people/people-calls.js';
import { INTERVIEWS, makeApplication, makeCandidate, openJob } from '../e2e/talent/talent-calls.js';
import { act, makeProject, makeTime, PROJECTS, TIME } from '../e2e/work/work-calls.js';
import type { TestTenant } from '../harness/platform.js';
import type { Json } from '../matrix/operations.js';
import { inboxOf, type Person, settle } from './notifications-stage.js';
import { Stage } from './stage.js';

/** Who is told of what happens to handoffs, projects, time, interviews and checklists. */
const stage = await Stage.open();
let worker: INestApplicationContext;
beforeAll(async () => {
  worker = await stage.idleWorker();
});
afterAll(() => stage.close());

let tenant: TestTenant;
let ana: Person;
let ben: Person;
let cleo: Person;
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  ana = await stage.platform.member(tenant, 'Ana');
  ben = await stage.platform.member(tenant, 'Ben', ['*'], { roles: ['manager'] });
  cleo = await stage.platform.member(tenant, 'Cleo');
});

const day = (days: number) => new Date(stage.platform.clock.nowMs() + days * DAY_MS).toISOString().slice(0, 10);

/** Kind, title, body and count of what a member was told since the last call, oldest first. */
async function told(person: Person): Promise<[string, string, string | null, number][]> {
  await settle(worker);
  const inbox = await inboxOf(person, '?unread=true');
  if (inbox.length > 0) await person.api.post('/api/home/notifications/read', { ids: inbox.map(({ id }) => id) });
  return inbox
    .map(({ kind, title, body, count }): [string, string, string | null, number] => [kind, title, body, count])
    .reverse();
}

/** What each of the members was told since the last call. */
async function toldAll(...people: Person[]): Promise<Awaited<ReturnType<typeof told>>[]> {
  const all = [];
  for (const each of people) all.push(await told(each));
  return all;
}

describe('a handoff', () => {
  const waiting = ['approval_requested', 'Handoff to accept: Acme rollout', null, 1];
  const submitted = async (more: object = {}, deal: object = {}) => {
    const { id } = await handoff(ana.api, { ...more }, { ...deal });
    await toldAll(ana, ben, cleo);
    await changed(ana.api, id, { action: 'submit' });
    return id;
  };

  it('that waits is told to its delivery owner', async () => {
    await submitted({ deliveryOwnerId: ben.id });
    expect(await toldAll(ana, ben, cleo)).toEqual([[], [waiting], []]);
  });

  it.each([
    ['has no delivery owner', { ownerId: null }, (): string | null => null],
    ['was submitted by its delivery owner', {}, (): string | null => ana.id],
  ])('that waits and %s is told to the others who may accept it', async (_case, deal, deliveryOwner) => {
    const member = await stage.platform.member(tenant, 'Member', ['*'], { roles: ['member'] });
    const id = await submitted({}, deal);
    const { body } = await ana.api.get<{ data: Json[] }>('/api/admin/sales-handoff');
    expect(body.data).toMatchObject([{ id, deliveryOwnerId: deliveryOwner() }]);
    expect(await toldAll(ana, ben, cleo, member)).toEqual([[], [waiting], [waiting], []]);
  });

  it('that is returned or accepted is told to the sales owner and to who has submitted it', async () => {
    const id = await submitted({ deliveryOwnerId: ben.id }, { ownerId: cleo.id });
    await told(ben);
    await changed(ben.api, id, { action: 'return', reason: 'No scope' });
    const returned = ['approval_decided', 'Handoff returned: Acme rollout', 'No scope', 1];
    expect(await toldAll(ana, ben, cleo)).toEqual([[returned], [], [returned]]);
    await changed(ana.api, id, { action: 'submit' });
    await told(ben);
    await changed(ben.api, id, { action: 'accept' });
    const accepted = ['approval_decided', 'Handoff accepted: Acme rollout', null, 1];
    for (const each of await toldAll(ana, cleo)) expect(each).toContainEqual(accepted);
    expect((await told(ben)).filter(([kind]) => kind === 'approval_decided')).toEqual([]);
  });

  it('that fails is told to its delivery owner', async () => {
    const plan = await make(ana.api, '/api/v1/work/project-templates', { name: 'Rollout' });
    await make(ana.api, `/api/v1/work/project-templates/${plan.id}/publish`);
    await template(ana.api, { isDefault: true, projectTemplateId: plan.id });
    const id = await submitted({ deliveryOwnerId: ben.id });
    await told(ben);
    await changed(ben.api, id, { action: 'accept' });
    await make(ana.api, `/api/v1/work/project-templates/${plan.id}/retire`);
    expect(await told(ben)).toEqual([
      [
        'assignment',
        'Handoff failed: Acme rollout',
        'The step project failed: The project template Rollout is not published any more. Publish it again, and retry.',
        1,
      ],
    ]);
    expect(await told(ana)).toEqual([['approval_decided', 'Handoff accepted: Acme rollout', null, 1]]);
  });
});

describe('a project under delivery control', () => {
  it('is told to its owner and watchers, and if it is escalated to the next active manager of the owner', async () => {
    const watcher = await stage.platform.member(tenant, 'Watcher');
    const top = await makeEmployee(ana.api, { membershipId: cleo.id });
    const { id: managerId } = await makeEmployee(ana.api, { managerId: top.id });
    await makeEmployee(ana.api, { membershipId: ben.id, managerId });
    const { id, name, reference } = await billable(ben.api);
    for (const each of [ana, ben, watcher])
      await each.api.post(`${PROJECTS}/${id}/watchers`, { membershipId: each.id });
    await toldAll(ana, ben, cleo, watcher);
    const label = `${name} (${reference})`;

    await bulk(ana.api, { action: 'escalate', projectIds: [id], params: { severity: 'high' } });
    const escalated = [`Escalated: ${label}`, 'By Ana. Severity: high', 1];
    expect(await toldAll(ana, ben, cleo, watcher)).toEqual([
      [],
      [['assignment', ...escalated]],
      [['assignment', ...escalated]],
      [['watch', ...escalated]],
    ]);

    await bulk(ana.api, { action: 'request_update', projectIds: [id] });
    const requested = [`Update requested: ${label}`, 'By Ana', 1];
    expect(await toldAll(ana, ben, cleo, watcher)).toEqual([
      [],
      [['assignment', ...requested]],
      [],
      [['watch', ...requested]],
    ]);
  });
});

describe('time off', () => {
  const asked = (employeeId: string, from: number, api = cleo.api) =>
    made(api, TIME_OFF, { employeeId, type: 'vacation', startDate: day(from), endDate: day(from + 6) });

  it('is told to the manager when it is requested, and to the employee when it is decided', async () => {
    const boss = await makeEmployee(ana.api, { membershipId: ben.id });
    const { id: employeeId } = await makeEmployee(ana.api, { membershipId: cleo.id, managerId: boss.id });
    await toldAll(ana, ben, cleo);
    const [first, second] = [await asked(employeeId, 30), await asked(employeeId, 60)];
    const requested = ({ name }: Json) => [
      'approval_requested',
      `Approval needed: ${String(name)}`,
      'Requested by Cleo',
      1,
    ];
    expect(await toldAll(ana, ben, cleo)).toEqual([[], [requested(first), requested(second)], []]);
    await acted(ben.api, TIME_OFF, first.id, 'approve');
    await acted(ben.api, TIME_OFF, second.id, 'reject', { reason: 'Too many are away' });
    expect(await toldAll(ana, ben, cleo)).toEqual([
      [],
      [],
      [
        ['approval_decided', `Approved: ${String(first['name'])}`, 'By Ben', 1],
        ['approval_decided', `Rejected: ${String(second['name'])}`, 'By Ben', 1],
      ],
    ]);
  });

  it('is told to the others with the permission if there is no manager, or the manager requests it', async () => {
    const { id: employeeId } = await makeEmployee(ana.api, { membershipId: cleo.id });
    await toldAll(ana, ben, cleo);
    await asked(employeeId, 30);
    const counts = async () => (await toldAll(ana, ben, cleo)).map(({ length }) => length);
    expect(await counts()).toEqual([1, 1, 0]);
    const boss = await makeEmployee(ana.api, { membershipId: ben.id });
    await ana.api.patch(`${EMPLOYEES}/${employeeId}`, { managerId: boss.id });
    await counts();
    const { name } = await asked(employeeId, 60, ben.api);
    const { body: absentee } = await ana.api.get(`${EMPLOYEES}/${employeeId}`);
    const body = `For ${String(absentee['name'])}, requested by Ben`;
    expect(await toldAll(ana, ben, cleo)).toEqual([
      [['approval_requested', `Approval needed: ${String(name)}`, body, 1]],
      [],
      [['approval_decided', `Requested for you: ${String(name)}`, 'By Ben', 1]],
    ]);
  });
});

describe('time that is spent', () => {
  const submit = async (body: object) => {
    const entry = await makeTime(cleo.api, body);
    await act(cleo.api, `${TIME}/${entry.id}`, 'submit');
    return entry;
  };
  const submitted = (name: string, count: number) => [
    'approval_requested',
    `Time to approve: ${name}`,
    'Submitted by Cleo',
    count,
  ];

  it('is told to the owner of its project when it is submitted, and to the member when it is rejected', async () => {
    const { id: projectId, name } = await makeProject(ben.api);
    await submit({ projectId });
    const { id, name: label } = await submit({ projectId });
    expect(await toldAll(ana, ben, cleo)).toEqual([[], [submitted(name, 2)], []]);
    await act(ben.api, `${TIME}/${id}`, 'reject', { reason: 'The wrong project' });
    expect(await toldAll(ana, ben, cleo)).toEqual([
      [],
      [],
      [['approval_decided', `Rejected: ${label}`, 'The wrong project', 1]],
    ]);
  });

  it('is told to the others with the permission if the owner has submitted it or may not approve it', async () => {
    const viewer = await stage.platform.member(tenant, 'Viewer', ['*'], { roles: ['viewer'] });
    const own = await makeProject(cleo.api, { name: 'Own' });
    const viewed = await makeProject(ana.api, { name: 'Viewed', ownerId: viewer.id });
    await toldAll(ana, ben, cleo, viewer);
    await submit({ projectId: own.id });
    await submit({ projectId: viewed.id });
    for (const note of ['Read', 'Wrote']) await submit({ note });
    const all = [submitted('Own', 1), submitted('Viewed', 1), submitted('no project', 2)];
    expect(await toldAll(ana, ben, cleo, viewer)).toEqual([all, all, [], []]);
  });
});

it('an interview is told to its interviewers, and to those whom a change adds', async () => {
  const { id: jobId } = await openJob(ana.api);
  const { id: candidateId } = await makeCandidate(ana.api);
  const { id: applicationId } = await makeApplication(ana.api, candidateId, { jobId });
  await toldAll(ana, ben, cleo);
  const times = { startAt: '2027-03-01T09:00:00Z', endAt: '2027-03-01T10:00:00Z' };
  const body = { applicationId, ...times, interviewerIds: [ana.id, ben.id] };
  const interview = await make(ana.api, INTERVIEWS, body);
  const assigned = ['assignment', `Assigned to you: Video interview (${String(interview['reference'])})`, 'By Ana', 1];
  expect(await toldAll(ana, ben, cleo)).toEqual([[], [assigned], []]);
  await ana.api.patch(`${INTERVIEWS}/${interview.id}`, { interviewerIds: [ana.id, ben.id, cleo.id] });
  expect(await toldAll(ana, ben, cleo)).toEqual([[], [], [assigned]]);
});

describe('items of a checklist that are due', () => {
  const TITLES = ['Plan', 'Kick-off', 'Report'];
  const items = () =>
    TITLES.map((title, index) => ({ key: `item_${index}`, title, assignee: { membershipId: ben.id }, offsetDays: 0 }));
  const started = async (subjectId: string, name = 'Rollout') => {
    const body = { name, appliesTo: 'other', checklistItems: items() };
    const { id: templateId } = await make(ana.api, '/api/settings/checklist-templates', body);
    const subject = { object: 'work.project', id: subjectId };
    await make(ana.api, '/api/operations/checklists', { templateId, subject, startDate: day(0) });
  };
  /** Sweeps while the items are due or overdue, and returns what Ben is told. */
  const due = async () => {
    await told(ben);
    await worker.get(DueUpkeep).sweep();
    return (await told(ben)).filter(([kind]) => kind === 'due_soon' || kind === 'overdue');
  };
  // A start on a day that is no business day makes them due on the next.
  const untilDue = () => stage.platform.clock.advance(4 * DAY_MS);

  it('are told once, all of a record in one notification', async () => {
    const { id } = await makeProject(ana.api);
    await started(id);
    untilDue();
    const [notice, ...others] = await due();
    expect(others).toEqual([]);
    const [kind, title, body, count] = notice!;
    expect([kind, count]).toEqual(['overdue', 3]);
    expect(title).toMatch(/^Overdue since .{10}: Plan \(Rollout\) and 2 more$/);
    expect(body!.split('\n').map((line) => line.slice(line.indexOf(': ') + 2))).toEqual(
      TITLES.map((each) => `${each} (Rollout)`),
    );
    expect(await due()).toEqual([]);
    stage.platform.clock.advance(11 * MINUTE_MS);
    expect(await due()).toEqual([]);
  });

  it('are not told after the project has ended, or the handoff was accepted or cancelled', async () => {
    const [cancelled, completed, active] = [
      await makeProject(ana.api),
      await makeProject(ana.api),
      await makeProject(ana.api, { name: 'Active' }),
    ];
    for (const { id } of [cancelled, completed, active]) await started(id);
    await act(ana.api, `${PROJECTS}/${cancelled.id}`, 'cancel', { reason: 'Lost' });
    await act(ana.api, `${PROJECTS}/${completed.id}`, 'start');
    await act(ana.api, `${PROJECTS}/${completed.id}`, 'complete');
    await template(ana.api, {
      isDefault: true,
      items: [{ key: 'tell', title: 'Tell', required: false, assignee: { membershipId: ben.id }, offsetDays: 0 }],
    });
    const [dropped, accepted, open] = [await handoff(ana.api), await handoff(ana.api), await handoff(ana.api)];
    await changed(ana.api, dropped.id, { action: 'cancel', reason: 'Lost' });
    await changed(ana.api, accepted.id, { action: 'submit' });
    await changed(cleo.api, accepted.id, { action: 'accept' });
    untilDue();
    await due();
    const subjects = (await inboxOf(ben, '?kind=overdue')).map(({ subject }) => subject!.id).sort();
    expect(subjects).toEqual([active.id, open.dealId].sort());
  });
});
