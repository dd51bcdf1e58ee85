import { jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { JobQueueRepository } from '#src/areas/ai/runs/job-queue.repository.js';
import { CrashStage, expectHonest, expectOnce, type Provider } from './ai-crash-stage.js';
import { AiStage } from './ai-stage.js';

/** More than the number of transactions in a run. */
const MOST = 20;

/** Simulates the end of the process. */
class Crash extends Error {}

describe('a worker that crashes at any of its transactions', () => {
  let ai: AiStage;
  let stage: CrashStage;
  let worker: INestApplicationContext;
  beforeAll(async () => {
    ai = await AiStage.open();
    worker = await ai.stage.idleWorker();
    stage = await CrashStage.open(ai, worker);
  });
  afterEach(async () => expect(await ai.discrepancies()).toEqual([]));
  afterAll(() => ai.close());

  /** Runs a job once and crashes at transaction `at`, before or after its commit. Returns whether it crashed. */
  const runOnce = async (jobId: string, at: number, when: 'before' | 'after'): Promise<boolean> => {
    const queue = worker.get(JobQueueRepository);
    let transactions = 0;
    const fenced = jest.spyOn(queue, 'fenced').mockImplementation(async (...call) => {
      const dies = ++transactions === at;
      if (dies && when === 'before') throw new Crash();
      const result = await JobQueueRepository.prototype.fenced.apply(queue, call);
      if (dies) throw new Crash();
      return result;
    });
    try {
      await stage.run(jobId);
      return false;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      return true;
    } finally {
      fenced.mockRestore();
    }
  };

  /** Creates a job, crashes its worker and lets another continue. `died` is false if the run has fewer transactions. */
  const crash = async (provider: Provider, at: number, when: 'before' | 'after') => {
    let died = false;
    const outcome = await stage.trial(provider, async (id) => (died = await runOnce(id, at, when)));
    expect(await ai.discrepancies()).toEqual([]);
    return { died, outcome };
  };

  it.each(['before', 'after'] as const)(
    '%s the commit: each call is paid for once, each change made once',
    async (when) => {
      for (let at = 1; at < MOST; at++) {
        const { died, outcome } = await crash('keyed', at, when);
        expectOnce(outcome, at);
        if (!died) return expect(at).toBeGreaterThan(7);
      }
      throw new Error('The run does not end.');
    },
    120_000,
  );

  it.each(['before', 'after'] as const)(
    '%s the commit: unknown outcomes are recorded as doubtful',
    async (when) => {
      let doubtful = 0;
      for (let at = 1; at < MOST; at++) {
        const { died, outcome } = await crash('keyless', at, when);
        if (expectHonest(outcome)) doubtful++;
        if (!died) return expect(doubtful).toBe(2);
      }
      throw new Error('The run does not end.');
    },
    120_000,
  );
});
