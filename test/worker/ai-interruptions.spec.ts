import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { until } from '#libs/testing/until.js';
import { JobQueueRepository } from '#src/areas/ai/runs/job-queue.repository.js';
import { JobRunner } from '#src/areas/ai/runs/job-runner.js';
import { LeaseLost } from '#src/areas/ai/runs/lease.js';
import { AiStage } from './ai-stage.js';

const PROMPT = { kind: 'text.generate', input: { prompt: 'Write one sentence about tea.' } };
const USAGE = { inputTokens: 100, outputTokens: 20 };
const COST = 140;

describe('an interrupted job', () => {
  let ai: AiStage;
  let known: number;
  beforeAll(async () => {
    ai = await AiStage.open();
    await ai.worker();
  });
  beforeEach(() => (known = ai.server.calls.length));
  afterEach(async () => expect(await ai.discrepancies()).toEqual([]));
  afterAll(() => ai.close());

  const made = () => ai.server.calls.slice(known);
  /** Starts a job whose call hangs. */
  const hanging = async (more = {}) => {
    ai.server.script({ hang: true });
    const job = await ai.job({ ...PROMPT, ...(await ai.model({ idempotent: true })), ...more });
    await ai.called(known + 1);
    return job;
  };

  it('by cancellation stops immediately and is settled: the maximum cost of its call is booked, the rest released', async () => {
    const { id } = await hanging();
    const cancel = await ai.api.post(`/api/ai/jobs/${id}/cancel`, { reason: 'Changed my mind' });
    expect(cancel.body).toMatchObject({ status: 'cancelled' });
    const job = await ai.reached(id, 'cancelled');
    const [call] = await ai.calls(id);
    expect(call).toMatchObject({ state: 'in_doubt', tries: 1 });
    expect(job).toMatchObject({ actualCostMicros: Number(call!.worst_micros), steps: [{ type: 'model' }] });
    expect(made()).toHaveLength(1);
  });

  it('by cancellation is settled by another worker when its worker is gone, without another call', async () => {
    const { id } = await hanging();
    await ai.stage.stopWorkers().catch(() => undefined);
    // State left by a killed worker: a running job, a call with unknown outcome.
    expect(await ai.entries(id)).toMatchObject([{ state: 'running' }]);
    await ai.api.post(`/api/ai/jobs/${id}/cancel`, {});
    expect(await ai.entries(id)).toMatchObject([{ state: 'closing' }]);
    await ai.worker();
    await ai.reached(id, 'cancelled');
    expect(await ai.calls(id)).toMatchObject([{ state: 'in_doubt' }]);
    expect(made()).toHaveLength(1);
  });

  it('by the kill switch ends with all waiting jobs; none is accepted until AI is resumed', async () => {
    const running = await hanging();
    const later = { deadlineAt: new Date(ai.platform.clock.nowMs() + 86_400_000).toISOString() };
    const waiting = await ai.job({ ...PROMPT, approval: 'required', ...later });
    const pause = await ai.api.post('/api/ai/pause', { reason: 'Something is wrong' });
    expect(pause.status).toBe(200);
    expect((await ai.api.post('/api/ai/jobs', PROMPT)).body).toMatchObject({ code: 'ai_paused', status: 423 });
    await ai.reached(running.id, 'cancelled');
    await ai.reached(waiting.id, 'cancelled');
    expect(made()).toHaveLength(1);
    await ai.api.post('/api/ai/resume', { reason: 'It was nothing' });
    const { id } = await ai.job(PROMPT);
    expect(await ai.reached(id, 'succeeded')).toMatchObject({ error: null });
    expect(await ai.get(running.id)).toMatchObject({ status: 'cancelled' });
  });

  it('by the pause of its agent', async () => {
    const agents = '/api/v1/intelligence/agents';
    const model = await ai.model({ idempotent: true });
    const agent = await ai.api.post<{ id: string }>(agents, { name: 'Helper', ...model, tools: [], grants: [] });
    await ai.api.post(`${agents}/${agent.body.id}/activate`, {});
    ai.server.script({ hang: true });
    const { id } = await ai.job({ kind: 'agent.run', agentId: agent.body.id, prompt: 'Say hello.' });
    await ai.called(known + 1);
    await ai.api.post(`${agents}/${agent.body.id}/pause`, {});
    await ai.reached(id, 'cancelled');
    expect(made()).toHaveLength(1);
  });

  it('by its timeout fails, and its call is in doubt', async () => {
    const agents = '/api/v1/intelligence/agents';
    const body = { name: 'Slow', ...(await ai.model({})), tools: [], grants: [], limits: { timeoutSeconds: 5 } };
    const agent = await ai.api.post<{ id: string }>(agents, body);
    await ai.api.post(`${agents}/${agent.body.id}/activate`, {});
    ai.server.script({ hang: true });
    const { id } = await ai.job({ kind: 'agent.run', agentId: agent.body.id, prompt: 'Say hello.' });
    expect(await ai.reached(id, 'failed')).toMatchObject({ error: { code: 'job_timeout' } });
    expect(await ai.calls(id)).toMatchObject([{ state: 'in_doubt' }]);
  });
});

describe('a job whose worker is gone', () => {
  let ai: AiStage;
  beforeAll(async () => {
    ai = await AiStage.open();
  });
  afterEach(async () => {
    await ai.stage.stopWorkers();
    expect(await ai.discrepancies()).toEqual([]);
  });
  afterAll(() => ai.close());

  /** Starts a job and loses its lease during the call: the worker cannot record anything afterwards. */
  const abandon = async (idempotent: boolean) => {
    const worker = await ai.stage.idleWorker();
    const queue = worker.get(JobQueueRepository);
    const known = ai.server.calls.length;
    ai.server.script({ text: 'Tea is grown on hills.', usage: USAGE, delayMs: 300 });
    const { id } = await ai.job({ ...PROMPT, ...(await ai.model({ idempotent })) });
    const [lease] = await queue.claim({ room: 1, token: uuidv7(), concurrency: 1, now: new Date().toISOString() });
    const held = (await queue.take(lease!, uuidv7()))!;
    const run = runAsSystem(held.tenant, 'test', uuidv7(), () =>
      worker.get(JobRunner).run(held, new AbortController()),
    );
    const lost = expect(run).rejects.toThrow(LeaseLost);
    await ai.called(known + 1);
    await ai.stage.sql('update data.ai_queue set lease_token = $2, lease_until = now() where job_id = $1', [
      id,
      uuidv7(),
    ]);
    await lost;
    return { id, calls: () => ai.server.calls.slice(known) };
  };

  it('can no longer be written by it', async () => {
    const { id } = await abandon(true);
    expect(await ai.get(id)).toMatchObject({ status: 'running', output: null, actualCostMicros: 0 });
    expect(await ai.calls(id)).toMatchObject([{ state: 'sending', tries: 1, answer: null }]);
    await ai.worker();
    await ai.reached(id, 'succeeded');
  });

  it('continues with the same key where the provider deduplicates by key, and is paid for once', async () => {
    const { id, calls } = await abandon(true);
    await ai.worker();
    expect(await ai.reached(id, 'succeeded')).toMatchObject({
      output: { text: 'Tea is grown on hills.' },
      actualCostMicros: COST,
      attempts: 1,
    });
    expect(await ai.calls(id)).toMatchObject([{ state: 'done', tries: 2 }]);
    expect(new Set(calls().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(calls().filter(({ charged }) => charged)).toHaveLength(1);
  });

  it('otherwise fails in doubt, with its maximum cost booked, and is not sent again', async () => {
    const { id, calls } = await abandon(false);
    await ai.worker();
    const job = await ai.reached(id, 'failed');
    const [call] = await ai.calls(id);
    expect(call).toMatchObject({ state: 'in_doubt', fault: 'call_in_doubt' });
    expect(job).toMatchObject({ error: { code: 'call_in_doubt' }, actualCostMicros: Number(call!.worst_micros) });
    expect(job.allowedActions).toContain('retry');
    expect(calls()).toHaveLength(1);
  });

  it('fails after losing several workers', async () => {
    const { id, calls } = await abandon(true);
    await ai.stage.sql('update data.ai_queue set takeovers = 5 where job_id = $1', [id]);
    await ai.worker();
    expect(await ai.reached(id, 'failed')).toMatchObject({ error: { code: 'worker_lost' } });
    expect(calls()).toHaveLength(1);
  });

  it('that shuts down cleanly releases the job and its call, which is not paid for twice', async () => {
    await ai.worker();
    const known = ai.server.calls.length;
    ai.server.script({ hang: true });
    const { id } = await ai.job({ ...PROMPT, ...(await ai.model({ idempotent: true })) });
    await ai.called(known + 1);
    await ai.stage.stopWorkers();
    expect(await ai.entries(id)).toMatchObject([{ state: 'running', lease_token: null, takeovers: 0 }]);
    ai.server.script({ text: 'There.', usage: USAGE });
    await ai.worker();
    await until(async () => (await ai.get(id)).status === 'succeeded');
    expect(await ai.calls(id)).toMatchObject([{ state: 'done', tries: 2, cost_micros: String(COST) }]);
  });
});
