// The faults that the platform must survive, and the promise for each.
import { judgeAccountingKills, killAccounting } from './accounting-kills.mjs';
import { judgeAiKills, killAi } from './ai-kills.mjs';
import { judgeApiKills, killApi } from './api-kills.mjs';
import { commitInAnotherOrder, judgeCommitOrder } from './commit-order.mjs';
import { canMount, fillDisk, judgeFullDisk } from './full-disk.mjs';
import { judgeHandoverKills, killHandovers } from './handover-kills.mjs';
import { judgeOverload, overload } from './overload.mjs';
import { judgePostgresRestarts, restartPostgres } from './postgres-restarts.mjs';
import { findRedis } from './redis.mjs';
import { judgeRedisLoss, loseRedis } from './redis-loss.mjs';
import { judgeRetentionKills, killRetention } from './retention-kills.mjs';
import { judgeRevocations, revokeRights } from './revocations.mjs';
import { judgeSealerKills, killSealer } from './sealer-kills.mjs';
import { judgeSlowTenant, slowTenant } from './slow-tenant.mjs';
import { judgeStreamKills, killStreaming } from './stream-kills.mjs';
import { judgeWorkerKills, killWorkers } from './worker-kills.mjs';
import { judgeWorkerStops, stopWorkers } from './worker-stops.mjs';

/**
 * By name: the fault, the promise, the sizes of the full run, `run` (returns figures) and `judge` (returns the
 * measurement as text and the violations).
 */
export const SCENARIOS = {
  worker: {
    fault: 'kill -9 of the worker, 50 times, under 200 events/s',
    promise: '0 lost; at most 2 % duplicates, same webhook-id; longest delay under 15 s',
    sizes: { kills: 50, steadyMs: 12_000, lifeMs: [500, 2_000], rate: 200, tenants: 20, answerMs: 0 },
    run: killWorkers,
    judge: judgeWorkerKills,
  },
  api: {
    fault: 'kill -9 of the API at any await of a write',
    promise: 'business row, audit row, outbox row, idempotency result: all or none',
    sizes: { writes: ['create', 'update', 'transition'], everyStatement: true },
    run: killApi,
    judge: judgeApiKills,
  },
  redis: {
    fault: 'Redis wiped, and Redis stopped for 60 s, under load',
    promise: '0 lost',
    sizes: { wipes: 5, downMs: 60_000, rate: 200, tenants: 20, pauseMs: 3_000, answerMs: 200, concurrency: 50 },
    isPossible: () => findRedis() !== null,
    run: loseRedis,
    judge: judgeRedisLoss,
  },
  postgres: {
    fault: 'PostgreSQL restarted under load',
    promise: 'both apps recover without a restart; 0 lost',
    sizes: { modes: ['fast', 'fast', 'immediate'], downMs: 3_000, rate: 200, tenants: 20, pauseMs: 5_000 },
    run: restartPostgres,
    judge: judgePostgresRestarts,
  },
  disk: {
    fault: 'the disk of the database full',
    promise:
      'what writes gets 503 with Retry-After, what reads is served; readiness says so, the log once; it recovers without a restart; 0 lost',
    sizes: { creates: 200 },
    isPossible: canMount,
    run: fillDisk,
    judge: judgeFullDisk,
  },
  timeouts: {
    fault: 'a tenant whose receiver always times out, at 10 times the volume',
    promise: "other tenants' p95 from commit to first attempt under 2 s",
    sizes: { rate: 20, seconds: 60, tenants: 10, timeoutMs: 10_000 },
    run: slowTenant,
    judge: judgeSlowTenant,
  },
  sigterm: {
    fault: 'SIGTERM to the worker',
    promise: 'no attempt cut in half; stops within 10 s',
    sizes: { stops: 10, rate: 20, tenants: 10 },
    run: stopWorkers,
    judge: judgeWorkerStops,
  },
  revocations: {
    fault: 'rights taken away while four API processes are asked with them, half of it with Redis stopped',
    promise: 'no request is allowed that was sent after the commit',
    sizes: { processes: 4, trials: 1_000 },
    isPossible: () => findRedis() !== null,
    run: revokeRights,
    judge: judgeRevocations,
  },
  commits: {
    fault: 'two transactions that commit in the other order than they began',
    promise: 'nothing skipped, sequence gap-free',
    sizes: { writers: 50, rounds: 20, workers: 2 },
    run: commitInAnotherOrder,
    judge: judgeCommitOrder,
  },
  sealing: {
    fault: 'kill -9 of the worker while it seals audit logs, 100 times, under 500 entries/s',
    promise:
      'every entry in the one tree of its tenant, once, without a gap; every checkpoint of it; sealed within 3 s (p99) while a worker runs',
    sizes: { kills: 100, rate: 500, tenants: 20, steadyMs: 20_000 },
    run: killSealer,
    judge: judgeSealerKills,
  },
  streaming: {
    fault: 'kill -9 of the worker while it streams audit logs, 30 times, under 100 entries/s',
    promise: 'every entry arrives at the destination of its tenant, none before an earlier one',
    sizes: { kills: 30, rate: 100, tenants: 10, answerMs: 200 },
    run: killStreaming,
    judge: judgeStreamKills,
  },
  retention: {
    fault: 'kill -9 of the worker while a retention run deletes records, 10 times',
    promise: 'each expired record deleted once, with one tombstone and one event; no held record deleted',
    sizes: { records: 20_000, held: 500, kills: 10 },
    run: killRetention,
    judge: judgeRetentionKills,
  },
  handovers: {
    fault: 'kill -9 of the worker while it executes handoffs and talent mappings, 50 times',
    promise: 'each effect once, none half done',
    sizes: { kills: 50, handoffs: 500, mappings: 500 },
    run: killHandovers,
    judge: judgeHandoverKills,
  },
  ai: {
    fault: 'kill -9 of workers that run AI jobs, 50 times, while 64 clients use a budget up',
    promise: '0 micros beyond the budget; counters equal the ledger; no call paid twice; doubt on record; no job lost',
    sizes: {
      jobs: 10_000,
      clients: 64,
      apis: 2,
      workers: 2,
      kills: 50,
      lifeMs: [1_000, 3_000],
      budgetShare: 0.5,
      answerMs: 100,
    },
    run: killAi,
    judge: judgeAiKills,
  },
  accounting: {
    fault: 'kill -9 of the API while it counts requests, 10 times in 1,000,000 requests',
    promise: 'never more counted than were sent; at most the last 10 s missing per kill; a stop loses none',
    sizes: { requests: 1_000_000, kills: 10, clients: 32, tenants: 5 },
    run: killAccounting,
    judge: judgeAccountingKills,
  },
  overload: {
    fault:
      '10,000 idle connections; slow senders and readers; 20 times the requests that it can work on, of one tenant and of all',
    promise:
      'the process lives within the memory that its settings allow; idle connections stay open; slow clients are cut within a second of their time-out; others are served; the rest is refused with 503 and Retry-After',
    sizes: { idle: 10_000, slow: 200, burst: 20, seconds: 10, places: 500, timeoutSeconds: 10 },
    run: overload,
    judge: judgeOverload,
  },
};
