import { Automations } from '#libs/automation/automations.js';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { MAX_ATTEMPTS } from '#libs/automation/retry-pauses.js';
import { Database } from '#libs/database/database.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import type { Client } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import { commit, exhaust, flow, forgetRuns, happened, runs, set } from './automation-stage.js';
import { Stage } from './stage.js';

/** What a worker gives up is never silent: it is in the list of jobs, has an event and an audit entry, and is told. */
let stage: Stage;
let tenant: TestTenant;
beforeAll(async () => {
  stage = await Stage.open();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});
afterEach(async () => {
  await stage.stopWorkers();
  await forgetRuns(stage);
});
afterAll(() => stage.close());

type Json = Record<string, unknown> & { id: string };
const JOBS = '/api/operations/jobs';
const list = async (api: Client, path: string) => (await api.get<{ data: Json[] }>(path)).body.data;
const broken = () => Promise.reject(new Problem('record_locked', 'The thing is locked.'));
const error = { code: 'record_locked', message: 'The thing is locked.' };

/** A worker that runs what is due until everything is given up. */
async function giveUp(prepare: (worker: Awaited<ReturnType<Stage['idleWorker']>>) => Promise<void> | void) {
  const worker = await stage.idleWorker();
  await prepare(worker);
  await worker.get(EventRelay).pass();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await exhaust(worker.get(AutomationWorker));
    stage.platform.clock.advance(HOUR_MS);
  }
  return worker;
}

const eventsAbout = (id: string) =>
  stage.sql<{ envelope: string }>(`select envelope from data.events where tenant_id = $1 and subject_id = $2`, [
    tenant.id,
    id,
  ]);

/** The only failed job of the tenant, which has one event and one audit entry. */
async function failedJob(): Promise<Json> {
  const [job, ...others] = await list(tenant.api, `${JOBS}?status=failed`);
  expect(others).toEqual([]);
  const events = await eventsAbout(job!.id);
  expect(events.map(({ envelope }) => JSON.parse(envelope) as object)).toMatchObject([
    {
      type: 'operations.job.failed',
      data: { kind: job!['kind'], subject: job!['subject'], error: { code: error.code } },
    },
  ]);
  expect(JSON.stringify(events)).not.toContain(error.message);
  expect(await list(tenant.api, `/api/admin/audit-logs?action=operations.job.failed`)).toMatchObject([
    { target: { id: job!.id } },
  ]);
  return job!;
}

it('a flow: those who manage the tenant and the owner of the record are told, others neither see nor hear of it', async () => {
  const manager = await stage.platform.member(tenant, 'Boss', ['*'], { roles: ['admin'] });
  const owner = await stage.platform.member(tenant, 'Seller', ['*'], { roles: ['member'] });
  const other = await stage.platform.member(tenant, 'Other', ['*'], { roles: ['member'] });
  const deal = (await tenant.api.post<Json>('/api/v1/sales/deals', { name: 'Rocket', ownerId: owner.id })).body;
  await giveUp(async (worker) => {
    flow(worker, broken);
    await commit(stage, tenant, () => [happened(deal.id, {}, 'sales.deal')]);
  });
  const job = await failedJob();
  expect(job).toMatchObject({
    kind: 'test.flow',
    subject: { object: 'sales.deal', id: deal.id },
    requestedBy: { type: 'automation', name: 'test.flow' },
    error,
  });
  expect((await manager.api.get(`${JOBS}/${job.id}`)).status).toBe(200);
  expect((await owner.api.get(`${JOBS}/${job.id}`)).status).toBe(404);
  const told = async ({ api }: { api: Client }) =>
    (await list(api, '/api/home/notifications')).map(({ title }) => title);
  expect(await told(manager)).toEqual(['Given up: test.flow']);
  expect(await told(owner)).toEqual(expect.arrayContaining(['Given up about Rocket: test.flow']));
  expect(await told(other)).toEqual([]);
});

it('a timer, with the record that it names', async () => {
  const deal = (await tenant.api.post<Json>('/api/v1/sales/deals', { name: 'Rocket' })).body;
  await giveUp(async (worker) => {
    worker.get(Automations).timer({ kind: 'sales.deal.test_due', fire: broken });
    await set(stage, tenant, 'sales.deal.test_due', deal.id, stage.platform.clock.nowMs());
  });
  expect(await failedJob()).toMatchObject({
    kind: 'sales.deal.test_due',
    subject: { object: 'sales.deal', id: deal.id },
    error,
  });
});

it('a job, which fails itself', async () => {
  const kind = 'test.job';
  await giveUp(async (worker) => {
    const consequence = { text: 'select 1', values: [] };
    worker.get(Jobs).register({ kind, permission: 'settings:manage', step: broken, gaveUp: () => [consequence] });
    await commit(stage, tenant, () => {
      const statements: { text: string; values: unknown[] }[] = [];
      worker
        .get(Jobs)
        .start({ write: (each) => void statements.push(each) }, { kind, input: {}, total: 3, phase: 'a' });
      return statements;
    });
  });
  expect(await failedJob()).toMatchObject({ kind, subject: null, progress: { total: 3, phase: 'a' }, error });
});

it('it is listed even if nobody can be told', async () => {
  await giveUp(async (worker) => {
    jest
      .spyOn(worker.get(Notifier), 'tell')
      .mockImplementation(
        () =>
          worker
            .get(Database)
            .transaction((transaction) => transaction.query({ text: 'select 1 / 0', values: [] })) as never,
      );
    flow(worker, broken);
    await commit(stage, tenant, () => [happened('thing')]);
  });
  expect(await runs(stage, tenant)).toMatchObject([{ state: 'failed' }]);
  expect(await failedJob()).toMatchObject({ subject: { object: 'test.thing', id: 'thing' } });
});
