import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { until } from '#libs/testing/until.js';
import type { Answer, Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { LEAVE_CLAIM } from '../../harness/stored-keys.js';
import { DEALS, define } from '../custom-fields/custom-field-calls.js';
import { made, makeEmployee, POLICIES, TIME_OFF } from '../people/people-calls.js';
import { act, makeProject, MILESTONES, PROJECTS } from '../work/work-calls.js';
import { tracesOf } from './traces.js';

/**
 * Creates claim their idempotency key together with the effect, other writes before it. The guarantees for keys hold in
 * both cases.
 */
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

const inProgress = { status: 409, code: 'idempotency_in_progress', isReplay: false };
const keyed = () => ({ 'idempotency-key': randomUUID() as string });
const seen = ({ status, body, headers }: Answer) => ({
  status,
  code: body['code'] as string | undefined,
  isReplay: headers.get('idempotent-replayed') === 'true',
});

function expectReplay(answer: Answer, first: Answer): void {
  expect({ ...seen(answer), text: answer.text }).toEqual({ ...seen(first), isReplay: true, text: first.text });
  expect(answer.headers.get('location')).toBe(first.headers.get('location'));
}

/** Runs work while another statement holds locks that the blocked request waits for. */
async function whileHeld<T>(sql: string, request: () => Promise<Answer>, work: () => Promise<T>): Promise<[Answer, T]> {
  const holder = new pg.Client({ connectionString: platform.database.adminUrl });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(sql);
    const answer = request();
    const waiting = `select 1 from pg_locks where not granted and pid <> pg_backend_pid()`;
    await until(async () => (await asAdmin(platform.database, waiting)).length > 0);
    const done = await work();
    await holder.query('rollback');
    return [await answer, done];
  } finally {
    await holder.end();
  }
}

describe('while the first request with a key runs', () => {
  async function expectOneEffect(
    hold: string,
    create: (key: Record<string, string>, name: string) => Promise<Answer>,
  ): Promise<void> {
    const key = keyed();
    const [first, others] = await whileHeld(
      hold,
      () => create(key, 'one'),
      () => Promise.all(['one', 'one', 'two'].map((name) => create(key, name))),
    );
    expect(seen(first)).toEqual({ status: 201, code: undefined, isReplay: false });
    for (const other of others) {
      expect(seen(other)).toEqual(inProgress);
      expect(Number(other.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expectReplay(await create(key, 'one'), first);
    expect(seen(await create(key, 'two'))).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  }

  it('others are refused immediately if it is a single flight', async () => {
    await api.post(DEALS, { name: 'There before' });
    const before = await tracesOf(platform, tenant);
    await expectOneEffect('lock table data.audit_log in exclusive mode', (key, name) => api.post(DEALS, { name }, key));
    const { deals, audit, events } = before;
    expect(await tracesOf(platform, tenant)).toMatchObject({ deals: deals + 1, audit: audit + 1, events: events + 1 });
  });

  it('others are refused immediately if it waits for a read', async () => {
    const { id: projectId } = await makeProject(api, {});
    await expectOneEffect(`select from data.work_projects where id = '${projectId}' for update`, (key, name) =>
      api.post(MILESTONES, { projectId, name }, key),
    );
    const { body } = await api.get<{ data: object[] }>(`${MILESTONES}?projectId=${projectId}`);
    expect(body.data).toHaveLength(1);
  });
});

describe('while a change with a claimed key runs', () => {
  const change = (id: string, name: string, key: Record<string, string>): Promise<Answer> =>
    api.patch(`${DEALS}/${id}`, { name }, key);

  it('others are refused immediately and get its response when it is done', async () => {
    const { id } = await made(api, DEALS, { name: 'There before' });
    const key = keyed();
    const [first, [same, other]] = await whileHeld(
      `select from data.sales_deals where id = '${id}' for update`,
      () => change(id, 'one', key),
      () => Promise.all(['one', 'two'].map((name) => change(id, name, key))),
    );
    expect(seen(same!)).toEqual(inProgress);
    expect(Number(same!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(seen(other!)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    expect(seen(first)).toEqual({ status: 200, code: undefined, isReplay: false });
    expectReplay(await change(id, 'one', key), first);
  });

  it('others are refused immediately if its process has died, and run when the claim expires', async () => {
    const { id } = await made(api, DEALS, { name: 'There before' });
    const key = keyed();
    expect((await change(id, 'one', key)).status).toBe(200);
    const claim = (lasts: string) =>
      asAdmin(platform.database, LEAVE_CLAIM, [tenant.id, key['idempotency-key'], lasts]);
    await claim('1 minute');
    expect(seen(await change(id, 'one', key))).toEqual(inProgress);
    await claim('-1 second');
    expect(seen(await change(id, 'one', key))).toEqual({ status: 200, code: undefined, isReplay: false });
  });
});

describe('when the first request with a key is done', () => {
  it('others get its response even if the operation would refuse them now', async () => {
    const key = keyed();
    const first = await api.post(DEALS, { name: 'one' }, key);
    expect(first.status).toBe(201);
    await define(api, { required: true });
    expect(seen(await api.post(DEALS, { name: 'one' }))).toMatchObject({ status: 400, code: 'validation_failed' });
    expectReplay(await api.post(DEALS, { name: 'one' }, key), first);
    const { id: projectId } = await makeProject(api, {});
    const reached = await api.post(MILESTONES, { projectId, name: 'one' }, key);
    expect(seen(reached)).toMatchObject({ status: 201, isReplay: false });
    await act(api, `${PROJECTS}/${projectId}`, 'cancel', { reason: 'Not wanted any more.' });
    expect((await api.post(MILESTONES, { projectId, name: 'one' })).status).toBe(409);
    expectReplay(await api.post(MILESTONES, { projectId, name: 'one' }, key), reached);
  });

  it('others get its response even if the operation would decide differently before writing', async () => {
    const { id: employeeId } = await makeEmployee(api);
    const ask = (headers: Record<string, string>) =>
      api.post(TIME_OFF, { employeeId, type: 'vacation', startDate: '2027-01-04', endDate: '2027-03-31' }, headers);
    const key = keyed();
    const first = await ask(key);
    expect(first.status).toBe(201);
    await made(api, POLICIES, { type: 'vacation', daysPerYear: 24 });
    expect(seen(await ask({}))).toMatchObject({ status: 409, code: 'balance_exceeded' });
    expectReplay(await ask(key), first);
  });

  it('a different request with the key is refused for that reason first', async () => {
    const key = keyed();
    expect((await api.post(DEALS, { name: 'one' }, key)).status).toBe(201);
    const before = await tracesOf(platform, tenant);
    for (const wrong of [{ accountId: randomUUID() }, { pipelineId: randomUUID() }, { customFields: { none: 1 } }]) {
      expect((await api.post(DEALS, { name: 'two', ...wrong })).status).toBeGreaterThanOrEqual(400);
      const answer = await api.post(DEALS, { name: 'two', ...wrong }, key);
      expect({ wrong, ...seen(answer) }).toMatchObject({ wrong, status: 422, code: 'idempotency_key_reused' });
    }
    expect(await tracesOf(platform, tenant)).toEqual(before);
  });
});

describe('a create that fails', () => {
  it('releases the key if the request was invalid', async () => {
    const key = keyed();
    expect((await api.post(DEALS, { name: 'one', accountId: randomUUID() }, key)).status).toBe(400);
    expect(await tracesOf(platform, tenant)).toMatchObject({ deals: 0, idempotencyKeys: 0 });
    expect(seen(await api.post(DEALS, { name: 'one' }, key))).toMatchObject({ status: 201, isReplay: false });
  });

  it('is stored under the key if it was a decision of the operation', async () => {
    const { id: projectId } = await makeProject(api, {});
    await act(api, `${PROJECTS}/${projectId}`, 'cancel', { reason: 'Not wanted any more.' });
    const key = keyed();
    const create = () => api.post(MILESTONES, { projectId, name: 'one' }, key);
    const first = await create();
    expect(seen(first)).toMatchObject({ status: 409, code: 'record_locked' });
    await act(api, `${PROJECTS}/${projectId}`, 'reopen');
    expectReplay(await create(), first);
  });
});
