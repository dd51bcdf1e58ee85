import type { INestApplicationContext } from '@nestjs/common';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { JobQueueRepository } from '#src/areas/ai/runs/job-queue.repository.js';
import { JobRunner } from '#src/areas/ai/runs/job-runner.js';
import type { AiStage, CallRow, JobAnswer } from './ai-stage.js';

const USAGE = { inputTokens: 100, outputTokens: 20 };
const AGENTS = '/api/v1/intelligence/agents';

/** Whether the provider deduplicates by key. */
export type Provider = 'keyed' | 'keyless';

/** The result of a job: what was charged, and how often its change was made. */
export interface Outcome {
  job: JobAnswer;
  charged: number;
  calls: CallRow[];
  changes: number;
}

/** Jobs of autonomous agents: a call, a change, and another call, run by a worker under control of the test. */
export class CrashStage {
  private constructor(
    readonly ai: AiStage,
    private readonly worker: INestApplicationContext,
    private readonly agentIds: Record<Provider, string>,
  ) {}

  static async open(ai: AiStage, worker: INestApplicationContext): Promise<CrashStage> {
    await ai.api.patch('/api/ai/policy', { ratePerMinute: 10_000 }); // the tests exceed the default rate
    const agent = async (idempotent: boolean): Promise<string> => {
      const body = { name: 'Helper', autonomy: 'auto', tools: ['deals.create'], grants: ['deals:read', 'deals:write'] };
      const { id } = (await ai.api.post<{ id: string }>(AGENTS, { ...body, ...(await ai.model({ idempotent })) })).body;
      await ai.api.post(`${AGENTS}/${id}/activate`, {});
      return id;
    };
    return new CrashStage(ai, worker, { keyed: await agent(true), keyless: await agent(false) });
  }

  /**
   * Creates a job, runs it with `disturbed`, and lets another worker continue if anything is left; null if nothing is.
   */
  async trial(provider: Provider, disturbed: (jobId: string) => Promise<unknown>): Promise<Outcome> {
    const { ai } = this;
    const name = `Made once ${uuidv7()}`;
    const known = ai.server.calls.length;
    const params = { record: { name }, reason: 'Due.' };
    ai.server.forget();
    ai.server.script({ toolCalls: [{ name: 'deals__create', params }], usage: USAGE }, { text: 'Done.', usage: USAGE });
    const { id } = await ai.job({ kind: 'agent.run', agentId: this.agentIds[provider], prompt: 'Look after it.' });
    await disturbed(id);
    if ((await ai.entries(id)).length > 0) {
      await ai.loseLease(id);
      await this.run(id);
    }
    const charged = ai.server.calls.slice(known).filter((call) => call.charged).length;
    const deals = await ai.stage.sql('select 1 from data.sales_deals where name = $1', [name]);
    return { job: await ai.over(id), charged, calls: await ai.calls(id), changes: deals.length };
  }

  /** Runs a due job as far as possible. */
  async run(jobId: string): Promise<void> {
    const queue = this.worker.get(JobQueueRepository);
    const now = new Date().toISOString();
    const [lease] = await queue.claim({ room: 1, token: uuidv7(), concurrency: 1, now });
    if (lease?.jobId !== jobId) throw new Error('The job is not due.');
    const held = (await queue.take(lease, uuidv7()))!;
    await runAsSystem(held.tenant, 'test', uuidv7(), () => this.worker.get(JobRunner).run(held, new AbortController()));
  }
}

/** Each call is paid for once and the change is made once in every case. */
export function expectOnce({ job, charged, calls, changes }: Outcome, at: number): void {
  expect({ at, status: job.status, charged, changes, error: job.error }).toEqual({
    ...{ at, status: 'succeeded', charged: 2, changes: 1, error: null },
  });
  expect(calls.map(({ state }) => state)).toEqual(['done', 'done']);
}

/** For providers without keys: whether the outcome is in doubt, which must then be recorded. */
export function expectHonest({ job, charged, calls, changes }: Outcome): boolean {
  const inDoubt = calls.some(({ state }) => state === 'in_doubt');
  expect(inDoubt ? job.error?.code : job.status).toBe(inDoubt ? 'call_in_doubt' : 'succeeded');
  expect(calls.length).toBeLessThanOrEqual(2);
  expect(charged).toBeLessThanOrEqual(calls.length);
  expect(changes).toBeLessThanOrEqual(1);
  return inDoubt;
}
