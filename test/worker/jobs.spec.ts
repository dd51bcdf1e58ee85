import { Database } from '#libs/database/database.js';
import type { JobKind, JobStep } from '#libs/jobs/job.js';
import { JobWorker } from '#libs/jobs/job-worker.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { MAX_ATTEMPTS } from '#libs/automation/retry-pauses.js';
import { runAsAutomation } from '#libs/automation/automation-scope.js';
import { assertNoOpenTransaction } from '#libs/outbound/transaction-probe.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { until } from '#libs/testing/until.js';
import type { TestTenant } from '../harness/platform.js';
import { affect, effects, emit, flow, onBehalf } from './automation-stage.js';
import { Stage } from './stage.js';

/** Jobs have a lane of their own: they work outside of transactions, take turns, can be cancelled and are resumed. */
let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.stopWorkers();
  await stage.sql('delete from data.job_queue');
});
afterAll(() => stage.close());

type Worker = Awaited<ReturnType<Stage['idleWorker']>>;
const KIND = 'test.job';
const JOBS = '/api/operations/jobs';
const DONE: JobStep = { isDone: true, done: 1, phase: null };

function register<Prepared>(
  app: Pick<Worker, 'get'>,
  kind: Partial<JobKind<Prepared>> & Pick<JobKind<Prepared>, 'step'>,
): void {
  app
    .get(Jobs)
    .register<Prepared>({ kind: KIND, permission: 'settings:manage', onBehalf, ended: () => undefined, ...kind });
}

/** Starts a job as an automation of the tenant does. */
function start(worker: Worker, { id, slug }: TestTenant, total: number | null = null, kind = KIND): Promise<string> {
  return runAsAutomation({ id, slug, plan: 'enterprise', currency: 'USD', epoch: '1' }, () =>
    worker
      .get(Database)
      .transaction(async (transaction) =>
        worker.get(Jobs).start(transaction, { kind, input: {}, total, phase: 'working' }),
      ),
  );
}

const job = async (tenant: TestTenant, id: string) =>
  (await tenant.api.get<Record<string, unknown> & { progress: Record<string, unknown> }>(`${JOBS}/${id}`)).body;
const expire = () => stage.sql(`update data.job_queue set lease_until = now() - interval '1 second'`);

describe('a job', () => {
  it('works outside of any transaction and commits what it prepared with its progress', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await stage.idleWorker();
    const seen: unknown[] = [];
    register<string>(worker, {
      work: async ({ done }) => {
        assertNoOpenTransaction();
        return Promise.resolve(`page ${done + 1}`);
      },
      step: async (_transaction, { done }, page) => {
        seen.push(page);
        await affect(worker, 'effect');
        return { isDone: done === 2, done: done + 1, phase: 'working', result: { page } };
      },
    });
    const id = await start(worker, tenant, 3);
    await worker.get(JobWorker).pass();
    expect(seen).toEqual(['page 1', 'page 2', 'page 3']);
    expect(await effects(stage, tenant)).toEqual({ effect: 3 });
    expect(await job(tenant, id)).toMatchObject({
      status: 'succeeded',
      result: { page: 'page 3' },
      progress: { done: 3 },
    });
    expect(await stage.sql('select 1 from data.job_queue')).toEqual([]);
  });

  it('does not wait for the timers of its tenant, nor do they wait for it', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await stage.worker();
    let end: () => void = () => undefined;
    let begun = false;
    register(worker, {
      work: () => new Promise<void>((resolve) => ((begun = true), (end = resolve))),
      step: () => Promise.resolve(DONE),
    });
    const id = await start(worker, tenant);
    await until(() => begun);
    flow(worker, () => affect(worker, 'flow'));
    await emit(stage, tenant, 'thing');
    await until(async () => (await effects(stage, tenant))['flow'] === 1);
    expect(await job(tenant, id)).toMatchObject({ status: 'queued' });
    end();
    await until(async () => (await job(tenant, id))['status'] === 'succeeded');
  });

  it('takes effect once, though its worker died after its work and another one took over', async () => {
    const tenant = await stage.platform.tenant();
    const [dying, living] = [await stage.idleWorker(), await stage.idleWorker()];
    let revive: () => void = () => undefined;
    let begun = false;
    const step = (worker: Worker) => async () => {
      await affect(worker, 'effect');
      return DONE;
    };
    register(dying, {
      work: () => new Promise<void>((resolve) => ((begun = true), (revive = resolve))),
      step: step(dying),
    });
    register(living, { work: () => Promise.resolve(), step: step(living) });
    const id = await start(dying, tenant);
    const died = dying.get(JobWorker).pass();
    await until(() => begun);
    expect(await living.get(JobWorker).pass()).toBe('none');
    await expire();
    await living.get(JobWorker).pass();
    expect(await job(tenant, id)).toMatchObject({ status: 'succeeded' });
    revive();
    await died;
    expect(await effects(stage, tenant)).toEqual({ effect: 1 });
  });

  it('that stops each of its workers fails', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await stage.idleWorker();
    register(worker, { step: () => Promise.resolve(DONE) });
    const id = await start(worker, tenant);
    await stage.sql(
      `update data.job_queue set lease_token = $1, lease_until = now() - interval '1 second', attempts = $2`,
      [uuidv7(), MAX_ATTEMPTS - 1],
    );
    await worker.get(JobWorker).pass();
    expect(await job(tenant, id)).toMatchObject({ status: 'failed', error: { code: 'worker_lost' } });
  });

  it('gives way to the jobs of other tenants, however many one has', async () => {
    const [hog, small] = [await stage.platform.tenant(), await stage.platform.tenant()];
    const worker = await stage.idleWorker();
    register(worker, { step: () => Promise.resolve(DONE) });
    for (let i = 0; i < 9; i++) await start(worker, hog);
    const id = await start(worker, small);
    await worker.get(JobWorker).pass(); // four at a time
    expect(await job(small, id)).toMatchObject({ status: 'succeeded' });
    expect(await stage.sql('select 1 from data.job_queue')).toHaveLength(6);
  });

  it('says when it will end', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await stage.idleWorker();
    const { clock } = stage.platform;
    register(worker, {
      step: (_transaction, { done }) => {
        if (done === 25) throw new Error('later');
        return Promise.resolve({ isDone: false, done: 25, phase: 'working' });
      },
    });
    const id = await start(worker, tenant, 100);
    expect((await job(tenant, id)).progress).toMatchObject({ done: 0, estimatedFinishAt: null });
    await worker.get(JobWorker).pass();
    clock.advance(60_000);
    const { startedAt, progress } = await job(tenant, id);
    expect(progress).toMatchObject({ done: 25, total: 100 });
    // A quarter took at least a minute, so the whole takes four times as long, whatever the clock has run besides.
    const [began, ends] = [Date.parse(String(startedAt)), Date.parse(String(progress['estimatedFinishAt']))];
    expect(ends - began).toBeGreaterThanOrEqual(4 * 60_000);
    expect(ends - began).toBeLessThanOrEqual(4 * (clock.nowMs() - began));
  });
});

describe('cancelling a job', () => {
  it('ends it at once, aborts its work and commits nothing more', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await stage.worker();
    let aborted = false;
    let begun = false;
    const ended: string[] = [];
    register(worker, {
      work: (_job, signal) =>
        new Promise<void>((resolve) => {
          begun = true;
          signal.addEventListener('abort', () => ((aborted = true), resolve()));
        }),
      step: async () => {
        await affect(worker, 'effect');
        return DONE;
      },
    });
    register(stage.platform.app, {
      step: () => Promise.resolve(DONE),
      ended: (_transaction, { id }, { status }) => void ended.push(`${id} ${status}`),
    });
    const id = await start(worker, tenant);
    await until(() => begun);
    const answer = await tenant.api.post(`${JOBS}/${id}/cancel`);
    expect(answer).toMatchObject({ status: 200, body: { id, status: 'cancelled', error: null } });
    await until(() => aborted);
    await worker.get(JobWorker).stop();
    expect(await effects(stage, tenant)).toEqual({});
    expect(ended).toEqual([`${id} cancelled`]);
    expect(await job(tenant, id)).toMatchObject({ status: 'cancelled' });
    const again = await tenant.api.post(`${JOBS}/${id}/cancel`);
    expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    const { body } = await tenant.api.get<{ data: unknown[] }>('/api/admin/audit-logs?action=operations.job.cancelled');
    expect(body.data).toMatchObject([{ target: { id }, outcome: 'success' }]);
    const [event] = await stage.sql<{ envelope: string }>(
      `select envelope from data.events where tenant_id = $1 and subject_id = $2`,
      [tenant.id, id],
    );
    expect(JSON.parse(event!.envelope)).toMatchObject({
      type: 'operations.job.cancelled',
      data: { kind: KIND, status: 'cancelled', error: null },
    });
  });

  it('of others takes the right to order it, not only to see it', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await stage.idleWorker();
    const kind = `${KIND}.of_others`;
    const step = () => Promise.resolve(DONE);
    const ordered = { of: 'requester', asks: 'deals:write' } as const;
    for (const app of [stage.platform.app, worker])
      register(app, { kind, permission: 'deals:read', onBehalf: ordered, step });
    const id = await start(worker, tenant, null, kind);
    const seer = await stage.platform.key(tenant, ['deals:read']);
    expect(await seer.get(`${JOBS}/${id}`)).toMatchObject({ status: 200 });
    expect(await seer.post(`${JOBS}/${id}/cancel`)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    expect(await job(tenant, id)).toMatchObject({ status: 'queued' });
    const stranger = await stage.platform.key(await stage.platform.tenant(), ['*']);
    expect(await stranger.post(`${JOBS}/${id}/cancel`)).toMatchObject({ status: 404 });
    const orderer = await stage.platform.key(tenant, ['deals:read', 'deals:write']);
    expect(await orderer.post(`${JOBS}/${id}/cancel`)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  });
});
