import { randomUUID } from 'node:crypto';
import type { AuditEntryView } from '#src/areas/assurance/audit-logs/audit-log.dto.js';
import type { ShownAiJob } from '#src/areas/ai/jobs/job.js';
import type { ProposedAction } from '#src/areas/ai/jobs/job.parts.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { MEMBERSHIPS, VIEWER } from '../admin/people-calls.js';
import { act, jobOf, makeJob, move } from './job-calls.js';

const DEALS = '/api/v1/sales/deals';

let platform: TestPlatform;
let tenant: TestTenant;
let asker: { id: string; api: Client };
let reviewer: { id: string; api: Client };
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  asker = await platform.member(tenant, 'Ada', ['ai-jobs:*', 'deals:*', 'tasks:*']);
  reviewer = await platform.member(tenant, 'Bob', ['ai-jobs:*', 'deals:*', 'tasks:*']);
});
afterAll(() => platform.close());

const makeDeal = async (): Promise<string> =>
  (await tenant.api.post<{ id: string }>(DEALS, { name: 'Acme renewal' })).body.id;
const dealOf = async (id: string) =>
  (await tenant.api.get<{ nextStep: string | null; version: number; updatedBy: object }>(`${DEALS}/${id}`)).body;
type Entry = Pick<AuditEntryView, 'action' | 'actor' | 'allowedBy' | 'reason'>;
const auditOf = async (id: string) =>
  (await tenant.api.get<{ data: Entry[] }>(`/api/admin/audit-logs?targetId=${id}`)).body.data;
/** The actor of a client in the audit log. */
async function actorOf(api: Client) {
  const { id } = (await api.post<{ id: string }>(DEALS, { name: 'Who am I' })).body;
  return (await auditOf(id))[0]!.actor;
}

function action(more: Partial<ProposedAction> = {}): ProposedAction {
  return {
    id: randomUUID(),
    operation: 'deals.update',
    target: null,
    params: { nextStep: 'Call on Monday' },
    reason: 'No contact for 30 days.',
    status: 'proposed',
    problem: null,
    record: null,
    ...more,
  };
}
const onDeal = (id: string, more: Partial<ProposedAction> = {}) =>
  action({ target: { object: 'sales.deal', id }, ...more });

/** A job whose result proposes changes. */
async function proposing(
  proposedActions: ProposedAction[],
  api: Client = asker.api,
  body: object = {},
): Promise<string> {
  const { id } = await makeJob(api, body);
  await move(platform, tenant, id, 'start');
  await move(platform, tenant, id, 'request_review', { output: { text: 'See below.', json: null }, proposedActions });
  return id;
}
const outcomes = (job: ShownAiJob) =>
  job.output!.proposedActions.map(({ status, problem }) => [status, problem?.code ?? null]);

test('accepted changes are made on behalf of the requester, with audit and events; rejected ones are not', async () => {
  const [one, two] = [await makeDeal(), await makeDeal()];
  const [yes, no] = [onDeal(one), onDeal(two)];
  const made = action({ operation: 'tasks.create', params: { name: 'Call Acme' } });
  const id = await proposing([yes, no, made]);
  expect(await dealOf(one)).toMatchObject({ nextStep: null });
  const answer = await act(reviewer.api, id, 'review', { accept: [yes.id, made.id], reject: [no.id], reason: 'Good' });
  expect(answer).toMatchObject({ status: 200, body: { status: 'succeeded' } });
  expect(outcomes(answer.body)).toEqual([
    ['applied', null],
    ['rejected', null],
    ['applied', null],
  ]);
  expect(await dealOf(one)).toMatchObject({ nextStep: 'Call on Monday', version: 2, updatedBy: { type: 'api_key' } });
  expect(await dealOf(two)).toMatchObject({ nextStep: null, version: 1 });
  const [, , created] = answer.body.output!.proposedActions;
  expect(created!.record).toMatchObject({ object: 'work.task' });
  const task = await tenant.api.get<{ name: string; createdBy: object }>(`/api/v1/work/tasks/${created!.record!.id}`);
  expect(task.body).toMatchObject({ name: 'Call Acme' });
  // Done by the requester, allowed by the reviewer; own actions name nobody else.
  const [by, asked] = [await actorOf(reviewer.api), await actorOf(asker.api)];
  const grounds = { actor: asked, allowedBy: [by], reason: `AI job ${id}`, outcome: 'success' };
  expect(await auditOf(one)).toMatchObject([{ action: 'sales.deal.updated', ...grounds }, { allowedBy: [] }]);
  expect(await auditOf(created!.record!.id)).toMatchObject([{ action: 'work.task.created', ...grounds }]);
  expect((await auditOf(id))[0]).toMatchObject({ action: 'intelligence.job.reviewed', actor: by, allowedBy: [] });
});

test('no change is made twice', async () => {
  const deal = await makeDeal();
  const change = onDeal(deal);
  const id = await proposing([change]);
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => act(reviewer.api, id, 'review', { accept: [change.id] })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect((await dealOf(deal)).version).toBe(2);
});

test('the reviewer needs the permission for the change', async () => {
  const deal = await makeDeal();
  const change = onDeal(deal);
  const id = await proposing([change]);
  const weak = await platform.member(tenant, 'Ken', ['ai-jobs:*', 'deals:read']);
  expect(await act(weak.api, id, 'review', { accept: [change.id] })).toMatchObject({
    status: 403,
    body: { code: 'permission_denied' },
  });
  expect(await dealOf(deal)).toMatchObject({ version: 1 });
  expect((await jobOf(asker.api, id)).status).toBe('awaiting_review');
  const plain = await platform.member(tenant, 'Joe', ['ai-jobs:read', 'ai-jobs:write', 'deals:*']);
  expect((await act(plain.api, id, 'review', { accept: [change.id] })).status).toBe(403);
  expect((await act(weak.api, id, 'review', { reject: [change.id] })).status).toBe(200);
});

test('the requester needs the permission for the change', async () => {
  const deal = await makeDeal();
  const change = onDeal(deal);
  const reader = await platform.member(tenant, 'Eve', ['ai-jobs:*', 'deals:read']);
  const id = await proposing([change], reader.api);
  const answer = await act(reviewer.api, id, 'review', { accept: [change.id] });
  expect(answer).toMatchObject({ status: 200, body: { status: 'succeeded' } });
  expect(outcomes(answer.body)).toEqual([['failed', 'permission_denied']]);
  expect(await dealOf(deal)).toMatchObject({ version: 1 });
});

test('the requester needs it still when the changes are accepted', async () => {
  const deal = await makeDeal();
  for (const [change, code] of [
    [{ roleIds: [VIEWER] }, 'permission_denied'],
    [{ status: 'suspended' }, 'unauthenticated'],
  ] as const) {
    const proposed = onDeal(deal);
    const requester = await platform.member(tenant, 'Kim', ['ai-jobs:*', 'deals:*']);
    const id = await proposing([proposed], requester.api);
    const body = { ...change, reason: 'Leaves the team' };
    expect((await tenant.api.patch(`${MEMBERSHIPS}/${requester.id}`, body)).status).toBe(200);
    const answer = await act(reviewer.api, id, 'review', { accept: [proposed.id] });
    expect(outcomes(answer.body)).toEqual([['failed', code]]);
  }
  expect(await dealOf(deal)).toMatchObject({ version: 1 });
});

test('each action reports its result, and a failed one is rolled back individually', async () => {
  const deal = await makeDeal();
  const bad = onDeal(deal, { params: { nextStep: 7 } });
  const odd = onDeal(deal, { params: { status: 'gone' } });
  const lost = onDeal(randomUUID());
  const none = action({ operation: 'roles.update' });
  const good = onDeal(deal);
  const id = await proposing([bad, odd, none, good]);
  const answer = await act(reviewer.api, id, 'review', { accept: [bad.id, odd.id, good.id], reject: [none.id] });
  expect(outcomes(answer.body)).toEqual([
    ['failed', 'validation_failed'],
    ['failed', 'validation_failed'],
    ['rejected', null],
    ['applied', null],
  ]);
  expect(await dealOf(deal)).toMatchObject({ nextStep: 'Call on Monday', version: 2 });
  const other = await proposing([lost, none]);
  expect((await act(reviewer.api, other, 'review', { accept: [lost.id], reject: [none.id] })).status).toBe(404);
  expect(await act(reviewer.api, other, 'review', { accept: [none.id], reject: [lost.id] })).toMatchObject({
    status: 403,
    body: { code: 'tool_not_granted' },
  });
});

test('a gate parks a proposed change like any other', async () => {
  const own = await platform.tenant();
  const gate = { key: 'deal.win', effect: 'require_approval' };
  expect((await own.api.patch('/api/admin/settings', { gates: [gate] })).status).toBe(200);
  const { body: deal } = await own.api.post<{ id: string }>(DEALS, { name: 'Acme' });
  const change = onDeal(deal.id, { params: { status: 'won' } });
  const { id } = await makeJob(own.api);
  await move(platform, own, id, 'start');
  await move(platform, own, id, 'request_review', { output: { text: '', json: null }, proposedActions: [change] });
  const answer = await act(own.api, id, 'review', { accept: [change.id] });
  expect(outcomes(answer.body)).toEqual([['parked', null]]);
  expect((await own.api.get<{ status: string }>(`${DEALS}/${deal.id}`)).body.status).toBe('open');
});

test('every open action must be decided, once', async () => {
  const deal = await makeDeal();
  const [one, two] = [onDeal(deal), onDeal(deal)];
  const id = await proposing([one, two]);
  const refused = async (body: object) => {
    const answer = await act(reviewer.api, id, 'review', body);
    return [answer.status, answer.body.errors?.map(({ pointer, code }) => [pointer, code])];
  };
  expect(await refused({ accept: [one.id] })).toEqual([400, [['/accept', 'undecided']]]);
  expect(await refused({ accept: [one.id, two.id], reject: [two.id] })).toEqual([400, [['/reject/0', 'not_unique']]]);
  expect(await refused({ accept: [one.id, randomUUID()], reject: [two.id] })).toEqual([
    400,
    [['/accept/1', 'unknown_action']],
  ]);
  expect(await dealOf(deal)).toMatchObject({ version: 1 });
});
