import type { INestApplicationContext } from '@nestjs/common';
import { DAY_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { DueUpkeep } from '#src/areas/home/notifications/due-upkeep.js';
import { makeRole } from '../e2e/admin/people-calls.js';
import { decide, park, setGate } from '../e2e/approvals/approval-calls.js';
import { readHome } from '../e2e/home/home-calls.js';
import type { TestTenant } from '../harness/platform.js';
import { startSmtp } from '../harness/smtp.js';
import { addressOf, comment, INBOX, inboxOf, type Person, settle, SETTINGS, watch } from './notifications-stage.js';
import { Stage } from './stage.js';

const smtp = await startSmtp();
const stage = await Stage.open({ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@platform.example' });
let worker: INestApplicationContext;
beforeAll(async () => {
  worker = await stage.idleWorker();
});
afterAll(async () => {
  await stage.close();
  await smtp.close();
});

let tenant: TestTenant;
let ana: Person;
let ben: Person;
let dealId: string;
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  ana = await stage.platform.member(tenant, 'Ana');
  ben = await stage.platform.member(tenant, 'Ben', ['*'], { roles: ['manager'] });
  dealId = await stage.deal(tenant);
  smtp.mails.length = 0;
});

const readers = () => smtp.mails.flatMap(({ to }) => to).sort();

describe('a comment', () => {
  it('is told to the members that it mentions, at once by mail, but not to its author', async () => {
    await comment(ana, dealId, 'Can you check\nthe terms?', ana, ben);
    await settle(worker);
    const subject = { object: 'sales.deal', id: dealId };
    expect(await inboxOf(ben)).toMatchObject([
      {
        kind: 'mention',
        subject,
        title: 'Ana mentioned you: Acme renewal',
        body: 'Can you check the terms?',
        url: `/api/v1/sales/deals/${dealId}`,
        count: 1,
        readAt: null,
        mailedAt: expect.any(String) as string,
      },
    ]);
    expect(await inboxOf(ana)).toEqual([]);
    expect(readers()).toEqual([addressOf(ben)]);
    expect(smtp.mails[0]!.text).toContain(`/api/v1/sales/deals/${dealId}`);
  });

  it('is on the home page of the members that it mentions until they have read it', async () => {
    const mentions = async ({ api }: Person) => (await readHome(api)).mentions!.data;
    await comment(ana, dealId, 'Please check', ben);
    await settle(worker);
    const [told] = await inboxOf(ben);
    expect(await mentions(ben)).toEqual([told]);
    expect(await mentions(ana)).toEqual([]);
    expect((await ben.api.post(`${INBOX}/read`, { ids: [told!.id] })).status).toBe(200);
    expect(await mentions(ben)).toEqual([]);
  });

  it('is not told to members who may not see the record, even if they could when it was told', async () => {
    const role = await makeRole(tenant, 'Accounts only', ['accounts:read']);
    const outsider = await stage.platform.member(tenant, 'Out', ['*'], { roles: [role] });
    await watch(ben, dealId);
    await comment(ana, dealId, 'Confidential', outsider, ben);
    await settle(worker);
    expect(await inboxOf(outsider)).toEqual([]);
    expect(readers()).toEqual([addressOf(ben)]);
    const principal = { type: 'membership', id: ben.id };
    const denial = { object: 'sales.deal', objectId: dealId, principal, effect: 'deny' };
    expect(await ana.api.post('/api/admin/resource-permissions', denial)).toMatchObject({ status: 200 });
    expect(await inboxOf(ben)).toEqual([]);
  });

  it('is told to members whom an edit mentions, and only to them', async () => {
    const cleo = await stage.platform.member(tenant, 'Cleo');
    const { body } = await comment(ana, dealId, 'See this', ben);
    await settle(worker);
    const path = `/api/v1/sales/deals/${dealId}/comments/${body.id}`;
    await ana.api.patch(path, { mentions: [ben.id, cleo.id] });
    await settle(worker);
    expect(await inboxOf(ben)).toMatchObject([{ count: 1 }]);
    expect(await inboxOf(cleo)).toMatchObject([{ kind: 'mention' }]);
  });

  it('is quoted as it is: after an edit anew, after its deletion no more, even if it is told later', async () => {
    const { body } = await comment(ana, dealId, 'The code is 4711', ben);
    const path = `/api/v1/sales/deals/${dealId}/comments/${body.id}`;
    await settle(worker);
    expect(await inboxOf(ben)).toMatchObject([{ body: 'The code is 4711' }]);
    expect((await ana.api.patch(path, { body: 'Ask me\nfor the code' })).status).toBe(200);
    expect(await inboxOf(ben)).toMatchObject([{ body: 'Ask me for the code' }]);
    expect((await ana.api.delete(path)).status).toBe(200);
    expect(await inboxOf(ben)).toMatchObject([{ kind: 'mention', body: null }]);
    const late = await comment(ana, dealId, 'Not meant for you', ben);
    await ana.api.delete(`/api/v1/sales/deals/${dealId}/comments/${late.body.id}`);
    await settle(worker);
    expect(await inboxOf(ben)).toMatchObject([{ count: 1, body: null }]);
  });

  it('adds to an unread notification of the same record for 10 minutes, without another mail', async () => {
    await comment(ana, dealId, 'One', ben);
    await settle(worker);
    await comment(ana, dealId, 'Two', ben);
    await settle(worker);
    expect(await inboxOf(ben)).toMatchObject([{ count: 2, body: 'Two' }]);
    expect(readers()).toHaveLength(1);
    stage.platform.clock.advance(11 * MINUTE_MS);
    await comment(ana, dealId, 'Three', ben);
    await settle(worker);
    const [third] = await inboxOf(ben);
    await ben.api.post(`${INBOX}/read`, { ids: [third!.id] });
    await comment(ana, dealId, 'Four', ben);
    await settle(worker);
    expect((await inboxOf(ben)).map(({ body, count }) => [body, count])).toEqual([
      ['Four', 1],
      ['Three', 1],
      ['Two', 2],
    ]);
    expect(readers()).toHaveLength(3);
  });
});

describe('a change of a record', () => {
  it('is told to those who become responsible and to watchers, but not to its author', async () => {
    const cleo = await stage.platform.member(tenant, 'Cleo');
    for (const each of [ana, ben, cleo]) await watch(each, dealId);
    await ana.api.patch(`/api/v1/sales/deals/${dealId}`, { ownerId: ben.id });
    const own = await ana.api.post<{ id: string }>('/api/v1/work/tasks', { name: 'Own', assigneeIds: [ana.id] });
    const task = await ana.api.post<{ id: string }>('/api/v1/work/tasks', {
      name: 'Call',
      assigneeIds: [ana.id, ben.id],
    });
    expect([own.status, task.status]).toEqual([201, 201]);
    await settle(worker);
    const told = async (person: Person) =>
      (await inboxOf(person)).map(({ kind, subject }) => [kind, subject!.id]).sort();
    expect(await told(ana)).toEqual([]);
    expect(await told(ben)).toEqual(
      [
        ['assignment', dealId],
        ['assignment', task.body.id],
      ].sort(),
    );
    expect(await told(cleo)).toEqual([['watch', dealId]]);
    const [watched] = await inboxOf(cleo);
    expect(watched).toMatchObject({
      title: expect.stringMatching(/^Acme renewal \(DEAL-\d+\): updated$/) as string,
      body: expect.stringMatching(/ownerId$/) as string,
    });
    expect(readers()).toEqual([]);
  });

  it('is not told to members who do not want it', async () => {
    await watch(ben, dealId);
    await ben.api.patch(SETTINGS, { kinds: { watch: { inApp: false, email: 'none' }, mention: { inApp: false } } });
    await ana.api.patch(`/api/v1/sales/deals/${dealId}`, { name: 'Acme expansion' });
    await comment(ana, dealId, 'Only by mail', ben);
    await settle(worker);
    expect(await inboxOf(ben)).toEqual([]);
    expect(readers()).toEqual([addressOf(ben)]);
    expect(smtp.mails[0]!.text).toContain('Only by mail');
  });
});

it('a request for approval is told to its approvers, and the decision to the requester', async () => {
  const viewer = await stage.platform.member(tenant, 'Viewer', ['*'], { roles: ['viewer'] });
  await setGate(tenant);
  const waiting = await park(ben.api);
  await settle(worker);
  const subject = { object: 'core.approval', id: waiting.approval.id };
  expect(await inboxOf(ana)).toMatchObject([{ kind: 'approval_requested', subject }]);
  for (const each of [ben, viewer]) expect(await inboxOf(each)).toEqual([]);
  expect(readers()).toEqual([addressOf(ana)]);
  await decide(ana.api, waiting, 'reject', { reason: 'Too cheap' });
  await settle(worker);
  expect(await inboxOf(ben)).toMatchObject([{ kind: 'approval_decided', subject, body: 'Too cheap' }]);
  expect(await inboxOf(ana)).toHaveLength(1);
});

it('due dates are told once for each item and date: the day before, and when it has passed', async () => {
  const day = (days: number) => new Date(stage.platform.clock.nowMs() + days * DAY_MS).toISOString().slice(0, 10);
  const task = { name: 'Call', assigneeIds: [ben.id], dueDate: day(2) };
  const { body } = await ana.api.post<{ id: string }>('/api/v1/work/tasks', task);
  const personal = { name: 'Own', dueDate: day(1) };
  await ben.api.post('/api/v1/work/tasks', personal);
  await settle(worker);
  const sweep = async () => {
    for (let i = 0; i < 2; i++) await worker.get(DueUpkeep).sweep();
    return (await inboxOf(ben))
      .filter(({ kind }) => kind !== 'assignment')
      .map(({ title }) => title)
      .sort();
  };
  expect(await sweep()).toEqual(['Due tomorrow: Own']);
  stage.platform.clock.advance(DAY_MS);
  expect(await sweep()).toEqual(['Due tomorrow: Call', 'Due tomorrow: Own']);
  const moved = day(2);
  await ana.api.patch(`/api/v1/work/tasks/${body.id}`, { dueDate: moved });
  stage.platform.clock.advance(DAY_MS);
  expect(await sweep()).toEqual([
    'Due tomorrow: Call',
    'Due tomorrow: Call',
    'Due tomorrow: Own',
    `Overdue since ${personal.dueDate}: Own`,
  ]);
});

it('items of a checklist are told to their assignees when it starts and when they are due', async () => {
  const item = { key: 'kickoff', title: 'Kick-off', assignee: { membershipId: ben.id }, offsetDays: 0 };
  const body = { name: 'Rollout', appliesTo: 'other', checklistItems: [item] };
  const template = await ana.api.post<{ id: string }>('/api/settings/checklist-templates', body);
  const subject = { object: 'sales.deal', id: dealId };
  const startDate = new Date(stage.platform.clock.nowMs() - DAY_MS).toISOString().slice(0, 10);
  const started = await ana.api.post('/api/operations/checklists', {
    templateId: template.body.id,
    subject,
    startDate,
  });
  expect(started.status).toBe(201);
  await settle(worker);
  expect(await inboxOf(ben)).toMatchObject([
    { kind: 'assignment', subject, title: 'Assigned to you: Rollout', body: 'Kick-off' },
  ]);
  for (let i = 0; i < 2; i++) await worker.get(DueUpkeep).sweep();
  const [due, ...others] = await inboxOf(ben);
  expect(others).toHaveLength(1);
  // A day that is no business day moves.
  expect(due).toMatchObject({
    subject,
    title: expect.stringMatching(/^(Due|Overdue) .+: Kick-off \(Rollout\)$/) as string,
  });
});

it('a secret that expires soon is told to members who manage secrets', async () => {
  const expiresAt = new Date(stage.platform.clock.nowMs() + 20 * DAY_MS).toISOString();
  await tenant.api.post('/api/admin/secrets', { name: 'MAIL_PASSWORD', value: 'x', expiresAt });
  stage.platform.clock.advance(7 * DAY_MS);
  await settle(worker);
  expect(await inboxOf(ana)).toMatchObject([{ kind: 'security', title: 'The secret MAIL_PASSWORD expires soon' }]);
  expect(await inboxOf(ben)).toEqual([]);
  expect(readers()).toEqual([addressOf(ana)]);
});

describe('the list', () => {
  const mention = async (body: string) => {
    await comment(ana, await stage.deal(tenant), body, ben);
    await settle(worker);
    stage.platform.clock.advance(1_000);
  };

  it('is filtered, paged and marked as read, each member for themselves', async () => {
    for (const body of ['One', 'Two', 'Three']) await mention(body);
    const [three, two, one] = await inboxOf(ben);
    expect([three, two, one].map((each) => each!.body)).toEqual(['Three', 'Two', 'One']);
    const first = await ben.api.get<{ data: object[]; page: { nextCursor: string } }>(`${INBOX}?limit=2`);
    expect(await inboxOf(ben, `?limit=2&cursor=${first.body.page.nextCursor}`)).toMatchObject([{ id: one!.id }]);
    expect(await inboxOf(ben, '?kind=watch')).toEqual([]);
    const all = { ids: [one!.id, two!.id, three!.id] };
    expect((await ana.api.post(`${INBOX}/read`, all)).body).toEqual({ read: 0, unread: 0 });
    expect((await ben.api.post(`${INBOX}/read`, { ids: [two!.id] })).body).toEqual({ read: 1, unread: 2 });
    expect((await inboxOf(ben, '?unread=true')).map(({ id }) => id)).toEqual([three!.id, one!.id]);
    expect((await ben.api.post(`${INBOX}/read`, { before: one!.createdAt })).body).toEqual({ read: 1, unread: 1 });
    expect((await inboxOf(ben, '?unread=false')).map(({ id }) => id)).toEqual([two!.id, one!.id]);
  });

  it('is of persons, and requires either ids or a time', async () => {
    const refusal = { status: 403, body: { code: 'permission_denied' } };
    expect(await tenant.api.get(INBOX)).toMatchObject(refusal);
    expect(await tenant.api.post(`${INBOX}/read`, { ids: [dealId] })).toMatchObject(refusal);
    expect(await stage.platform.anonymous().get(INBOX)).toMatchObject({ status: 401 });
    for (const body of [{}, { ids: [dealId], before: '2026-11-26T00:00:00Z' }])
      expect(await ben.api.post(`${INBOX}/read`, body)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
  });
});
