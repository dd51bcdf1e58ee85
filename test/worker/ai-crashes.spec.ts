import { jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { JobQueueRepository } from '#src/areas/ai/runs/job-queue.repository.js';
import { JobRunner } from '#src/areas/ai/runs/job-runner.js';
import { AiStage, type JobAnswer } from './ai-stage.js';

const USAGE = { inputTokens: 100, outputTokens: 20 };
/** More than a run has transactions. */
const MOST = 20;

/** The end of a process, as far as a run can tell. */
class Crash extends Error {}

describe('a worker that dies at any of its transactions', () => {
  let ai: AiStage;
  let agentIds: Record<'keyed' | 'keyless', string>;
  let worker: INestApplicationContext;
  beforeAll(async () => {
    ai = await AiStage.open();
    worker = await ai.stage.idleWorker();
    agentIds = { keyed: await agent(true), keyless: await agent(false) };
  });
  afterAll(() => ai.close());

  const agent = async (idempotent: boolean): Promise<string> => {
    const body = { name: 'Helper', autonomy: 'auto', tools: ['deals.create'], grants: ['deals:read', 'deals:write'] };
    const path = '/api/v1/intelligence/agents';
    const { id } = (await ai.api.post<{ id: string }>(path, { ...body, ...(await ai.model({ idempotent })) })).body;
    await ai.api.post(`${path}/${id}/activate`, {});
    return id;
  };

  /** Runs a job once; it dies at transaction `at`, before or after that commits. Answers whether it did. */
  const runOnce = async (jobId: string, at: number, when: 'before' | 'after'): Promise<boolean> => {
    const queue = worker.get(JobQueueRepository);
    const now = new Date().toISOString();
    const [lease] = await queue.claim({ room: 1, token: uuidv7(), concurrency: 1, now });
    if (lease?.jobId !== jobId) throw new Error('The job is not due.');
    const held = (await queue.take(lease, uuidv7()))!;
    let transactions = 0;
    const fenced = jest.spyOn(queue, 'fenced').mockImplementation(async (...call) => {
      const dies = ++transactions === at;
      if (dies && when === 'before') throw new Crash();
      const result = await JobQueueRepository.prototype.fenced.apply(queue, call);
      if (dies) throw new Crash();
      return result;
    });
    try {
      await runAsSystem(held.tenant, 'test', uuidv7(), () => worker.get(JobRunner).run(held, new AbortController()));
      return false;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      return true;
    } finally {
      fenced.mockRestore();
    }
  };

  /** Makes a job, lets its worker die, and another one go on. Null when the run has fewer transactions. */
  const crash = async (provider: 'keyed' | 'keyless', at: number, when: 'before' | 'after') => {
    const name = `Made once ${uuidv7()}`;
    const known = ai.server.calls.length;
    const params = { record: { name }, reason: 'Due.' };
    ai.server.forget();
    ai.server.script({ toolCalls: [{ name: 'deals__create', params }], usage: USAGE }, { text: 'Done.', usage: USAGE });
    const { id } = await ai.job({ kind: 'agent.run', agentId: agentIds[provider], prompt: 'Look after it.' });
    const died = await runOnce(id, at, when);
    if (died && (await ai.entries(id)).length > 0) {
      await ai.loseLease(id);
      await runOnce(id, MOST, 'before');
    }
    const charged = ai.server.calls.slice(known).filter((call) => call.charged).length;
    const deals = await ai.stage.sql('select 1 from data.sales_deals where name = $1', [name]);
    return { died, job: await ai.over(id), charged, calls: await ai.calls(id), changes: deals.length };
  };

  it.each(['before', 'after'] as const)(
    '%s the commit: each call is paid for once, each change made once',
    async (when) => {
      for (let at = 1; at < MOST; at++) {
        const { died, job, charged, calls, changes } = await crash('keyed', at, when);
        expect({ at, status: job.status, charged, changes, error: job.error }).toEqual({
          ...{ at, status: 'succeeded', charged: 2, changes: 1, error: null },
        });
        expect(calls.map(({ state }) => state)).toEqual(['done', 'done']);
        expect(await ai.discrepancies()).toEqual([]);
        if (!died) return expect(at).toBeGreaterThan(7);
      }
      throw new Error('The run has no end.');
    },
    120_000,
  );

  it.each(['before', 'after'] as const)(
    '%s the commit: what nobody knows is on record as doubtful',
    async (when) => {
      const doubtful: JobAnswer[] = [];
      for (let at = 1; at < MOST; at++) {
        const { died, job, charged, calls, changes } = await crash('keyless', at, when);
        const inDoubt = calls.filter(({ state }) => state === 'in_doubt').length;
        expect(inDoubt === 0 ? job.status : job.error?.code).toBe(inDoubt === 0 ? 'succeeded' : 'call_in_doubt');
        expect(calls.length).toBeLessThanOrEqual(2);
        expect(charged).toBeLessThanOrEqual(calls.length);
        expect(changes).toBeLessThanOrEqual(1);
        expect(await ai.discrepancies()).toEqual([]);
        if (inDoubt > 0) doubtful.push(job);
        if (!died) return expect(doubtful).toHaveLength(2);
      }
      throw new Error('The run has no end.');
    },
    120_000,
  );
});
