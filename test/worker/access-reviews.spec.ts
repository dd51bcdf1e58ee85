import type { INestApplicationContext } from '@nestjs/common';
import { VIEWER } from '../e2e/admin/people-calls.js';
import { eventsOf } from '../harness/written.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import {
  command,
  type Crew,
  crewOf,
  decide,
  itemsOf,
  type Review,
  REVIEWS,
  startReview,
} from '../e2e/admin/review-calls.js';
import type { TestTenant } from '../harness/platform.js';
import { exhaust } from './automation-stage.js';
import { settle } from './notifications-stage.js';
import { Stage } from './stage.js';

/** What happens to access reviews by time. */
let stage: Stage;
let app: INestApplicationContext;
let worker: Awaited<ReturnType<Stage['idleWorker']>>;
let tenant: TestTenant;
let crew: Crew;
beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.idleWorker();
  worker = app;
});
afterAll(() => stage.close());
beforeEach(async () => {
  tenant = await stage.platform.tenant();
  crew = await crewOf(stage.platform, tenant);
});

const named = () => ({ reviewers: { strategy: 'named', membershipIds: [crew.reviewer.id, crew.deputy.id] } });
const read = async (id: string) => (await crew.owner.api.get<Review>(`${REVIEWS}?campaignId=${id}`)).body;
const start = (more: object = {}) =>
  startReview(stage.platform, crew.owner.api, { memberships: true }, { ...named(), ...more });
const verbsOf = async (id: string) =>
  (await eventsOf(stage.platform, tenant, id)).map(({ type }) => type.replace('compliance.access_review.', ''));

async function pass(days: number): Promise<void> {
  stage.platform.clock.advance(days * DAY_MS);
  await exhaust(worker);
}

test('at the due date revokes privileged access without a decision, keeps the rest, and reports it once', async () => {
  await stage.platform.member(tenant, 'Plain', ['*'], { roles: ['viewer'] });
  const { id } = await start();
  await pass(13.9);
  expect((await read(id)).status).toBe('in_progress');
  await pass(0.2);
  const review = await read(id);
  expect(review).toMatchObject({ status: 'pending_actions', overdueAt: expect.any(String) as string });
  expect(review.stats).toMatchObject({ pending: 0, revoked: 2, kept: 2, medianDecisionSeconds: null });
  const items = await itemsOf(crew.owner.api, id);
  expect(items.get('A admin')).toMatchObject({ decision: 'revoke', decidedBy: { type: 'automation' } });
  expect(items.get('Plain')).toMatchObject({ decision: 'keep', history: [{ decision: 'keep' }] });
  await pass(20);
  expect(await verbsOf(id)).toEqual(['created', 'started', 'overdue', 'decisions_finished']);
  await settle(app);
  const told = await crew.deputy.api.get<{ data: { title: string; body: string }[] }>('/api/home/notifications');
  const text = { title: 'The access review Review is decided', body: expect.stringContaining('without all') as string };
  expect(told.body.data).toContainEqual(expect.objectContaining(text));
});

test('at the due date uses the decision of the review for deferred items, and nothing if all was decided', async () => {
  const kept = await start({ onNoDecision: 'keep' });
  const items = [...(await itemsOf(crew.owner.api, kept.id)).values()];
  const own = items.filter(({ subject }) => subject.id === crew.owner.id);
  const others = items.filter((item) => !own.includes(item));
  await decide(crew.owner.api, kept.id, others, 'defer');
  const decided = await start();
  const all = [...(await itemsOf(crew.owner.api, decided.id)).values()];
  await decide(crew.owner.api, decided.id, all.filter(({ subject }) => subject.id !== crew.owner.id), 'keep'); // prettier-ignore
  await decide(crew.deputy.api, decided.id, all.filter(({ subject }) => subject.id === crew.owner.id), 'keep'); // prettier-ignore
  await pass(15);
  expect((await read(kept.id)).stats).toMatchObject({ kept: items.length, deferred: 0 });
  expect(await verbsOf(decided.id)).not.toContain('overdue');
});

test('mails reviewers with open items at the start, 7 days and one day before the due date', async () => {
  for (const { api } of [crew.reviewer, crew.deputy])
    await api.patch('/api/settings/notifications', { kinds: { review: { email: 'instant' } } });
  const { id } = await start();
  const mails = async () => (await stage.sql('select id from data.mails where subject_id = $1', [id])).length;
  expect(await mails()).toBe(2);
  await pass(6.9);
  expect(await mails()).toBe(2);
  await pass(0.2);
  expect(await mails()).toBe(4);
  await pass(6);
  expect(await mails()).toBe(6);
});

test('starts the next review of a series, until one is cancelled', async () => {
  await start({ recurrence: 'monthly' });
  const reviews = async () => (await crew.owner.api.get<{ data: Review[] }>(REVIEWS)).body.data;
  await pass(32);
  const [second, first, ...rest] = await reviews();
  expect(rest).toEqual([]);
  expect([second!.status, first!.status]).toEqual(['in_progress', 'pending_actions']);
  expect(second).toMatchObject({ recurrence: 'monthly', itemCount: 3, createdBy: { type: 'automation' } });
  const lengthMs = (review: Review) => Date.parse(review.dueAt) - Date.parse(review.startedAt!);
  expect(Math.abs(lengthMs(second!) - lengthMs(first!))).toBeLessThan(1_000);
  await command(crew.owner.api, { action: 'cancel', campaignId: second!.id, reason: 'Enough' });
  await pass(100);
  expect(await reviews()).toHaveLength(2);
});

test('goes on with a series whose next review cannot start', async () => {
  const { owner, deputy } = crew;
  const viewer = await stage.platform.member(tenant, 'Viewer', ['*'], { roles: ['viewer'] });
  const become = (status: string) =>
    stage.sql('update data.memberships set status = $3, version = version + 1 where tenant_id = $1 and id = $2', [tenant.id, viewer.id, status]); // prettier-ignore
  await startReview(stage.platform, owner.api, { roleIds: [VIEWER] }, { ...named(), recurrence: 'monthly' });
  const reviews = async () => (await owner.api.get<{ data: Review[] }>(REVIEWS)).body.data;
  await become('suspended');
  await pass(32);
  const [draft, ...others] = await reviews();
  expect(others).toHaveLength(1);
  expect(draft).toMatchObject({ status: 'draft', startError: 'nothing_to_review', recurrence: 'monthly' });
  expect(await verbsOf(draft!.id)).toEqual(['created', 'start_failed']);
  const log = '/api/admin/audit-logs?action=compliance.access_review.start_failed';
  expect((await owner.api.get<{ data: object[] }>(log)).body.data).toMatchObject([
    { target: { id: draft!.id }, changes: { startError: { from: null, to: 'nothing_to_review' } } },
  ]);
  await settle(app);
  const told = await deputy.api.get<{ data: { kind: string; title: string }[] }>('/api/home/notifications');
  expect(told.body.data[0]).toMatchObject({ kind: 'review', title: 'The access review Review could not start' });

  await pass(31);
  expect(await reviews()).toHaveLength(2);
  expect(await verbsOf(draft!.id)).toEqual(['created', 'start_failed', 'start_failed']);
  await become('active');
  await pass(31);
  const started = await read(draft!.id);
  expect(started).toMatchObject({ status: 'in_progress', startError: null, itemCount: 1 });
  expect(Date.parse(started.dueAt) - Date.parse(started.startedAt!)).toBeCloseTo(14 * DAY_MS, -4);
  await pass(32);
  expect((await reviews()).map(({ status }) => status)).toEqual(['in_progress', 'pending_actions', 'pending_actions']);
});

test('has one series when a draft that could not start is started by hand, and none when it is cancelled', async () => {
  const { owner } = crew;
  const viewer = await stage.platform.member(tenant, 'Viewer', ['*'], { roles: ['viewer'] });
  const become = (status: string) =>
    stage.sql('update data.memberships set status = $3, version = version + 1 where tenant_id = $1 and id = $2', [tenant.id, viewer.id, status]); // prettier-ignore
  await startReview(stage.platform, owner.api, { roleIds: [VIEWER] }, { ...named(), recurrence: 'monthly' });
  const reviews = async () => (await owner.api.get<{ data: Review[] }>(REVIEWS)).body.data;
  await become('suspended');
  await pass(32);
  await become('active');
  const [draft] = await reviews();
  expect((await command(owner.api, { action: 'start', campaignId: draft!.id })).status).toBe(200);
  await become('suspended');
  await pass(32);
  const [second, ...others] = await reviews();
  expect([second!.status, others.length]).toEqual(['draft', 2]);
  await command(owner.api, { action: 'cancel', campaignId: second!.id, reason: 'Enough' });
  await pass(100);
  expect(await reviews()).toHaveLength(3);
});
