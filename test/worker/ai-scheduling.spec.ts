import { uuidv7 } from '#libs/kernel/id.js';
import { until } from '#libs/testing/until.js';
import { JobQueueRepository } from '#src/areas/ai/runs/job-queue.repository.js';
import { JobSweeps } from '#src/areas/ai/runs/job-sweeps.js';
import type { TestTenant } from '../harness/platform.js';
import { AiStage } from './ai-stage.js';

const PROMPT = { kind: 'text.generate', input: { prompt: 'Write one sentence about tea.' } };

describe('the scheduler of AI jobs', () => {
  let ai: AiStage;
  let queue: JobQueueRepository;
  let sweeps: JobSweeps;
  beforeAll(async () => {
    ai = await AiStage.open();
    const worker = await ai.stage.idleWorker();
    queue = worker.get(JobQueueRepository);
    sweeps = worker.get(JobSweeps);
  });
  afterEach(() => ai.stage.sql('delete from data.ai_queue'));
  afterAll(() => ai.close());

  const claim = async (room: number, concurrency = 5) => {
    const now = ai.platform.clock.now().toISOString();
    return (await queue.claim({ room, token: uuidv7(), concurrency, now })).map(({ jobId }) => jobId);
  };
  const ask = async (tenant: TestTenant, more = {}) => (await ai.job({ ...PROMPT, ...more }, tenant.api)).id;

  it('takes tenants in turn, however many jobs one has waiting', async () => {
    const [busy, quiet] = [await ai.platform.tenant(), await ai.platform.tenant()];
    const many = [];
    for (let each = 0; each < 4; each++) many.push(await ask(busy));
    const one = await ask(quiet);
    const claimed = await claim(2);
    expect(claimed).toContain(one);
    expect(claimed).toContain(many[0]);
  });

  it('limits running jobs per tenant to its policy, across all workers', async () => {
    const tenant = await ai.platform.tenant();
    for (let each = 0; each < 4; each++) await ask(tenant);
    await tenant.api.patch('/api/ai/policy', { concurrency: 2 });
    expect(await claim(10)).toHaveLength(2);
    expect(await claim(10)).toHaveLength(0);
    await tenant.api.patch('/api/ai/policy', { concurrency: 3 });
    expect(await claim(10)).toHaveLength(1);
  });

  it('takes high priority first, except for jobs that have waited long enough', async () => {
    const tenant = await ai.platform.tenant();
    const low = await ask(tenant, { priority: 'low' });
    const normal = await ask(tenant);
    const high = await ask(tenant, { priority: 'high' });
    expect(await claim(1, 1)).toEqual([high]);
    await ai.stage.sql(`delete from data.ai_queue where job_id = $1`, [high]);
    await ai.stage.sql(`update data.ai_queue set rank_at = rank_at - interval '3 minutes' where job_id = $1`, [low]);
    expect(await claim(1, 1)).toEqual([low]);
    await ai.stage.sql(`delete from data.ai_queue where job_id = $1`, [low]);
    expect(await claim(1, 1)).toEqual([normal]);
  });

  it('claims a job once, and again when its lease expires, counting the lost worker', async () => {
    const id = await ask(await ai.platform.tenant());
    const claims = await Promise.all([claim(5), claim(5), claim(5)]);
    expect(claims.flat()).toEqual([id]);
    await ai.loseLease(id);
    expect(await claim(5)).toEqual([id]);
    expect(await ai.entries(id)).toMatchObject([{ takeovers: 0 }]);
    await ai.stage.sql(`update data.ai_queue set state = 'running' where job_id = $1`, [id]);
    await ai.loseLease(id);
    expect(await claim(5)).toEqual([id]);
    expect(await ai.entries(id)).toMatchObject([{ takeovers: 1 }]);
  });

  it('expires jobs not started by their deadline, and releases their reservation', async () => {
    const tenant = await ai.platform.tenant();
    const deadlineAt = new Date(ai.platform.clock.nowMs() + 60_000).toISOString();
    const due = await ask(tenant, { deadlineAt });
    const waiting = await ask(tenant, { deadlineAt, approval: 'required' });
    ai.platform.clock.advance(61_000);
    expect(await claim(5)).toEqual([]);
    await sweeps.expire();
    for (const id of [due, waiting])
      expect(await ai.get(id, tenant.api)).toMatchObject({ status: 'expired', actualCostMicros: 0 });
    expect(await ai.discrepancies(tenant)).toEqual([]);
  });
});

describe('the start of a job', () => {
  let ai: AiStage;
  beforeAll(async () => {
    ai = await AiStage.open();
  });
  afterEach(async () => {
    await ai.stage.stopWorkers();
    expect(await ai.discrepancies()).toEqual([]);
  });
  afterAll(() => ai.close());

  /** Creates a job without a worker, makes a change, then lets a worker start it. */
  const startAfter = async (body: Record<string, unknown>, change: () => Promise<unknown>, api = ai.api) => {
    await ai.stage.stopWorkers();
    const { id } = await ai.job(body, api);
    await change();
    await ai.worker();
    return ai.over(id);
  };

  it('is rejected when the policy no longer allows the job', async () => {
    const change = () => ai.api.patch('/api/ai/policy', { allowedKinds: ['text.summarize'] });
    expect(await startAfter(PROMPT, change)).toMatchObject({ status: 'failed', error: { code: 'ai_policy_denied' } });
    await ai.api.patch('/api/ai/policy', { allowedKinds: null });
  });

  it('is rejected when the requester has lost the permission or cannot read a target', async () => {
    const deal = await ai.stage.deal(ai.tenant);
    const targets = [{ object: 'sales.deal', id: deal }];
    const asker = await ai.platform.key(ai.tenant, ['ai-jobs:write', 'ai-jobs:read', 'deals:read']);
    const keyOf = `select id from directory.credentials where tenant_id = $1 order by created_at desc limit 1`;
    const [key] = await ai.stage.sql<{ id: string }>(keyOf, [ai.tenant.id]);
    const narrow = (scopes: string[]) => () =>
      ai.stage.sql('update directory.credentials set scopes = $2 where id = $1', [key!.id, scopes]);
    const job = { kind: 'record.summarize', targets, input: {} };
    expect(await startAfter(job, narrow(['ai-jobs:write', 'ai-jobs:read']), asker)).toMatchObject({
      status: 'failed',
      actualCostMicros: 0,
    });
    await narrow(['ai-jobs:write', 'ai-jobs:read', 'deals:read'])();
    expect(await startAfter(job, narrow(['deals:read']), asker)).toMatchObject({
      status: 'failed',
      error: { code: 'permission_denied' },
    });
    await narrow(['ai-jobs:write', 'ai-jobs:read', 'deals:read'])();
    const revoke = () => ai.stage.sql('update directory.credentials set revoked_at = now() where id = $1', [key!.id]);
    expect(await startAfter(job, revoke, asker)).toMatchObject({
      status: 'failed',
      error: { code: 'unauthenticated' },
    });
  });

  it('is rejected when the approved input was changed', async () => {
    const change = () => ai.stage.sql(`update data.ai_jobs set max_output_tokens = max_output_tokens + 1`);
    expect(await startAfter({ ...PROMPT, maxOutputTokens: 100 }, change)).toMatchObject({
      status: 'failed',
      error: { code: 'approval_changed' },
    });
  });

  it('is rejected when the model is no longer offered', async () => {
    const { names, modelId } = await ai.connect({});
    const before = ai.server.calls.length;
    const disable = async () => {
      const answer = await ai.api.patch(`/api/ai/models/${modelId}`, { enabled: false });
      if (answer.status !== 200) throw new Error(answer.text);
    };
    expect(await startAfter({ ...PROMPT, ...names }, disable)).toMatchObject({ status: 'failed' });
    expect(ai.server.calls).toHaveLength(before);
  });

  it('waits when its agent has reached its hourly limit', async () => {
    const agents = '/api/v1/intelligence/agents';
    const limits = { maxRunsPerHour: 1 };
    const { body: agent } = await ai.api.post<{ id: string }>(agents, {
      name: 'Seldom',
      tools: [],
      grants: [],
      limits,
    });
    await ai.api.post(`${agents}/${agent.id}/activate`, {});
    const ask = () => ai.job({ kind: 'agent.run', agentId: agent.id, prompt: 'Say hello.' });
    const [first, second] = [await ask(), await ask()];
    await ai.worker();
    const states = async () => [(await ai.get(first.id)).status, (await ai.get(second.id)).status].toSorted();
    await until(async () => (await states()).join() === 'queued,succeeded');
    const [entry] = await ai.stage.sql<{ due_at: Date }>('select due_at from data.ai_queue');
    expect(entry!.due_at.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    for (const { id } of [first, second]) await ai.api.post(`/api/ai/jobs/${id}/cancel`, {});
  });
});
